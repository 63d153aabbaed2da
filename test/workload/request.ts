/** Requests of a workload, every response of which the witness observes. */
import type { Reply, Witness } from './witness.ts';

export interface RequestOptions {
  readonly token?: string;
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent instead of `json`. */
  readonly body?: string | undefined;
}

/** No response of the hub takes this long, however busy the machine is. */
const timeoutMs = 60_000;

const retryPauseMs = 100;
/** An earlier attempt, whose process may have died, holds its key for up to 30 seconds. */
const heldKeyPauseMs = 1_000;

/**
 * @param reply null if the connection broke
 * @returns the pause before the next attempt; null if the response is final
 */
export function retryAfter(reply: Reply | null): number | null {
  if (reply === null || reply.status === 503) return retryPauseMs;
  return reply.json?.['error'] === 'request_in_progress' ? heldKeyPauseMs : null;
}

/** @throws if the connection breaks or the response takes a minute */
export async function request(
  witness: Witness,
  url: string,
  method: string,
  path: string,
  { token, json, headers, body = json === undefined ? undefined : JSON.stringify(json) }: RequestOptions,
): Promise<Reply> {
  const startedAt = performance.now();
  const response = await fetch(url + path, {
    method,
    redirect: 'manual',
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await response.text();
  const tookMs = performance.now() - startedAt;
  return witness.observe(method, path.split('?', 1)[0]!, response, text, tookMs);
}
