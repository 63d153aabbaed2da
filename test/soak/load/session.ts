/** The requests of a soak: observed by its witness, and failed unless the status is an expected one. */
import { request, type RequestOptions } from '#test/workload/request.ts';
import type { Reply, Witness } from '#test/workload/witness.ts';

export interface Session {
  readonly url: string;
  readonly witness: Witness;
  /**
   * @throws TemporaryRefusal for a 502 or 503
   * @throws if there is no response, or a status other than the expected ones
   */
  ask(
    method: string,
    path: string,
    options: RequestOptions,
    expectedStatuses?: readonly number[],
  ): Promise<Reply>;
  /** Reads an event stream, to its end or only its first part. @returns what was read */
  follow(path: string, token: string, toItsEnd: boolean): Promise<string>;
  /** @returns whether the failure is acceptable if it is rare, and counts it then */
  excuse(error: unknown): boolean;
  readonly excused: number;
}

/** The hub asks the client to try again later. */
export class TemporaryRefusal extends Error {}

/** 502 means that a mail server did not respond in time. */
export const isTemporary = (status: number): boolean => status === 502 || status === 503;

const streamTimeoutMs = 120_000;

/** The server closed a kept-alive connection just as it was reused, as HTTP allows. */
function isClosed(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNRESET';
}

export function createSession(url: string, witness: Witness): Session {
  let excused = 0;
  return {
    url,
    witness,
    get excused() {
      return excused;
    },
    excuse: (error) => {
      const isExcused = error instanceof TemporaryRefusal || isClosed(error);
      if (isExcused) excused += 1;
      return isExcused;
    },
    ask: async (method, path, options, expectedStatuses) => {
      const reply = await request(witness, url, method, path, options);
      if (isTemporary(reply.status)) throw new TemporaryRefusal(reply.text);
      if (expectedStatuses?.includes(reply.status) === false)
        throw new Error(`The response to ${method} ${path} was ${reply.status}: ${reply.text.slice(0, 500)}`);
      return reply;
    },
    follow: async (path, token, toItsEnd) => {
      const startedAt = performance.now();
      const response = await fetch(url + path, {
        headers: { authorization: `Bearer ${token}` },
        signal: AbortSignal.timeout(streamTimeoutMs),
      });
      witness.count(response.status, performance.now() - startedAt);
      if (isTemporary(response.status)) throw new TemporaryRefusal(path);
      if (response.status !== 200 || response.body === null)
        throw new Error(`The response to GET ${path} was ${response.status}.`);
      let text = '';
      const decoder = new TextDecoder();
      for await (const chunk of response.body) {
        text += decoder.decode(chunk, { stream: true });
        if (!toItsEnd) break;
      }
      return text;
    },
  };
}
