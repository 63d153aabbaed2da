/** Sends a request, and retries it after 429, 503, connection errors, and errors of a proxy whose hub restarts. */
import { HubError } from './hub-error.ts';

export interface SendOptions {
  readonly method: string;
  readonly url: string;
  readonly token: string | null;
  /** Sent as JSON, or as it is with a `contentType`. */
  readonly body?: unknown;
  readonly contentType?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Whether to return the response as a text. */
  readonly asText?: boolean;
}

const triesMax = 5;
/** How long a proxy may have no response of the hub. */
const proxyWaitMs = 60_000;
const firstPauseMs = 500;
/** With a longer `Retry-After`, the caller decides. */
const retryAfterMaxMs = 60_000;

/** @throws HubError; the error of `fetch` once the tries are used up */
export async function send(options: SendOptions): Promise<unknown> {
  const { method, url, token, body, contentType, signal, asText = false } = options;
  const headers: Record<string, string> = { accept: 'application/json', ...options.headers };
  if (token !== null) headers['authorization'] = `Bearer ${token}`;
  if (body !== undefined) headers['content-type'] = contentType ?? 'application/json';
  // The same key on every try, so that a retry changes nothing a second time.
  if (method === 'POST' && token !== null) headers['idempotency-key'] = crypto.randomUUID();
  const text = contentType === undefined ? JSON.stringify(body) : String(body);
  const request = { method, headers, ...(body === undefined ? {} : { body: text }) };
  // The hub may have sent the message, and keeps no key of it.
  const isOnce = url.endsWith('/v1/contact');
  const begun = performance.now();
  for (let tries = 1; ; tries += 1) {
    const isLast = tries >= triesMax;
    const received = await fetch(url, { ...request, ...(signal === undefined ? {} : { signal }) })
      .then(async (response) => ({ response, said: await response.text() }))
      .catch((error: unknown) => {
        if (isLast || signal?.aborted === true) throw error;
        return null;
      });
    if (received !== null) {
      const { response, said } = received;
      if (response.ok && asText) return said;
      const answer = parseJson(said);
      if (response.ok) return answer;
      const refused = new HubError(response.status, answer);
      const isOfProxy = refused.status >= 502 && refused.code === 'unknown' && !isOnce;
      const isOver = isOfProxy ? performance.now() - begun >= proxyWaitMs : isLast;
      const pauseMs = isOfProxy ? pauseAfter(tries) : retryPauseMs(response, refused);
      if (pauseMs === null || isOver) throw refused;
      await pause(pauseMs, signal);
    } else await pause(pauseAfter(tries), signal);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // Not from the hub; for example, a proxy's error page.
  }
}

const pauseAfter = (tries: number): number => firstPauseMs * 2 ** tries;

/** Null if a retry would not help, or if the caller waits: for a place for a run. */
function retryPauseMs({ headers }: Response, { status, code }: HubError): number | null {
  const mayHelp = status === 429 || status === 503 || code === 'request_in_progress';
  if (!mayHelp || code === 'too_many_open_jobs') return null;
  const seconds = headers.get('retry-after');
  if (seconds === null) return null;
  const pauseMs = Number(seconds) * 1_000;
  return pauseMs <= retryAfterMaxMs ? pauseMs : null;
}

/** @throws the reason of the signal as soon as it is aborted */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      // The reason of the caller, whatever it is.
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted === true) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
