/**
 * Whether a proxy stands in front of a private hub, although its settings name none. Such a hub trusts what comes from
 * loopback: it has no rate limits, and allows targets on its own machine. The first sign of a proxy ends that trust in
 * every process until all of them have been restarted.
 */
import type { Logger } from '../tracing/log.ts';
import type { Signals } from '../redis/signals.ts';

export interface ProxyWatch {
  isProxied(): boolean;
  /** @param sign what showed it, for the log */
  report(sign: string): void;
  close(): void;
}

export interface ProxyWatchOptions {
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
