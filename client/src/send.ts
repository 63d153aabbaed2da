/** Sends a request, and retries it after 429, 503 and connection errors. */
import { HubError } from './hub-error.ts';

export interface SendOptions {
  readonly method: string;
  readonly url: string;
  readonly token: string | null;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

const triesMax = 5;
const firstPauseMs = 500;
/** With a longer `Retry-After`, the caller decides. */
const retryAfterMaxMs = 60_000;

/** @throws HubError; the error of `fetch` once the tries are used up */
export async function send({ method, url, token, body, signal }: SendOptions): Promise<unknown> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (token !== null) headers['authorization'] = `Bearer ${token}`;
  if (body !== undefined) headers['content-type'] = 'application/json';
  // The same key on every try, so that a retry changes nothing a second time.
  if (method === 'POST' && token !== null) headers['idempotency-key'] = crypto.randomUUID();
  const request = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  for (let tries = 1; ; tries += 1) {
    const isLast = tries === triesMax;
    const response = await fetch(url, { ...request, ...(signal === undefined ? {} : { signal }) }).catch(
      (error: unknown) => {
        if (isLast || signal?.aborted === true) throw error;
        return null;
      },
    );
    if (response !== null) {
      const answer = await readJson(response);
      if (response.ok) return answer;
      const pauseMs = retryPauseMs(response);
      if (isLast || pauseMs === null) throw new HubError(response.status, answer);
      await pause(pauseMs);
    } else await pause(firstPauseMs * 2 ** tries);
  }
}

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return null; // Not from the hub; for example, a proxy's error page.
  }
}

/** Null if a retry would not help. */
function retryPauseMs({ status, headers }: Response): number | null {
  if (status !== 429 && status !== 503) return null;
  const seconds = headers.get('retry-after');
  if (seconds === null) return null;
  const pauseMs = Number(seconds) * 1_000;
  return pauseMs <= retryAfterMaxMs ? pauseMs : null;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
