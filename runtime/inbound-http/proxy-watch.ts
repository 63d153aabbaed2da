/**
 * Whether a proxy stands in front of a private hub, although its settings name none. Such a hub trusts what comes from
 * loopback: it has no rate limits, and allows targets on its own machine. The first sign of a proxy ends that trust in
 * every process until all of them have been restarted.
 */
import type { Signals } from '../redis/signals.ts';
import type { Logger } from '../tracing/log.ts';
import { hostNameInUrl, isLoopbackName } from './host-names.ts';

export interface ProxyWatch {
  isProxied(): boolean;
  /** @param sign what showed it, for the log */
  report(sign: string): void;
  close(): void;
}

interface ProxyWatchOptions {
  /** Sends a signal to the other processes. */
  readonly signal: (topic: string) => void;
  readonly signals: Signals;
  readonly logger: Logger;
}

const topic = 'behind a proxy';
/** Processes that know repeat it for those that start later, or lost their Redis. */
const repeatEveryMs = 2_000;

export function createProxyWatch({ signal, signals, logger }: ProxyWatchOptions): ProxyWatch {
  let repetition: ReturnType<typeof setInterval> | null = null;
  const begin = (): void => {
    repetition = setInterval(() => signal(topic), repeatEveryMs);
    repetition.unref();
  };
  const unfollow = signals.follow(topic, () => {
    if (repetition !== null) return;
    begin();
    logger.warn('another process of this hub saw a proxy: rate limits on, loopback targets refused');
  });
  return {
    isProxied: () => repetition !== null,
    report: (sign) => {
      if (repetition !== null) return;
      begin();
      signal(topic);
      logger.warn(
        { sign },
        'a request came through a proxy that TRUSTED_PROXIES and BASE_URL do not name: rate limits are now on and loopback targets refused, for everybody and until a restart. Set both, as in "Behind a proxy with TLS" of the operating guide',
      );
    },
    close: () => {
      unfollow();
      if (repetition !== null) clearInterval(repetition);
    },
  };
}

/** For public hubs, which never trust loopback, and for programs that serve nothing. */
export const noProxyWatch: ProxyWatch = {
  isProxied: () => false,
  report: () => undefined,
  close: () => undefined,
};

/** Headers that proxies add. */
const forwardingHeaders = [
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-port',
  'x-forwarded-server',
  'x-forwarded-scheme',
  'x-forwarded-ssl',
  'x-forwarded-prefix',
  'x-forwarded-by',
  'x-real-ip',
  'forwarded',
  'via',
] as const;

export interface OwnNames {
  /** The host in BASE_URL. */
  readonly baseUrl: string;
  /** Origins whose pages may call the API, or `*`. */
  readonly corsOrigins: readonly string[];
}

type RequestHead = Pick<Request, 'headers' | 'method'>;

/** @returns the sign, for a message; null if the request has none */
export function signOfProxy({ headers, method }: RequestHead, own: OwnNames): string | null {
  const forwarding = forwardingHeaders.find((name) => headers.has(name));
  if (forwarding !== undefined) return `the header ${forwarding}`;
  if (!headers.has('host')) return 'HTTP/1.0';
  if (isFromNginx({ headers, method })) return 'HTTP/1.0 as nginx sends it';
  return originOfOthers(headers, own);
}

/**
 * The server does not report the HTTP version. By default, nginx requests HTTP/1.0 and puts `Host` and
 * `Connection: close` before the headers of the client. Clients that close their connections write them later or in
 * another order, so the first two headers give nginx away. `toJSON` keeps the order; iteration would sort. Node begins
 * like that too in two cases that can do no harm: a HEAD request of its fetch, and, before version 19, a request without
 * any other header.
 */
function isFromNginx({ headers, method }: RequestHead): boolean {
  if (method === 'HEAD' || headers.get('connection') !== 'close') return false;
  const [first, second, ...more] = Object.keys(headers.toJSON());
  return first === 'host' && second === 'connection' && more.length > 0;
}

/**
 * A page that this hub's address would not show. Browsers send `null` for pages without an address, and other schemes
 * than http and https for pages of their extensions, which no proxy serves. For a page of another site they also send
 * `cross-site`, which they never do for the hub's own pages behind a proxy.
 */
function originOfOthers(headers: Headers, { baseUrl, corsOrigins }: OwnNames): string | null {
  if (headers.get('sec-fetch-site') === 'cross-site') return null;
  for (const name of ['origin', 'referer'] as const) {
    const given = headers.get(name);
    if (given === null) continue;
    const url = URL.parse(given);
    if (url === null || !/^https?:$/.test(url.protocol)) continue;
    const host = hostNameInUrl(given);
    if (host === null || isLoopbackName(host) || host === hostNameInUrl(baseUrl)) continue;
    if (corsOrigins.includes('*') || corsOrigins.includes(url.origin)) continue;
    return `an ${name === 'origin' ? 'Origin' : 'address in Referer'} of another host`;
  }
  return null;
}
