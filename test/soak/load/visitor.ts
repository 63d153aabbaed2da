/** Asks a hub for things over HTTP, and hears, times and counts what it answers. */
import { createHearing, type Hearing } from '#test/harness/hearing.ts';
import type { AnswersSample } from '../measure/soak-sample.ts';

export interface Answer {
  readonly status: number;
  readonly text: string;
  /** The body parsed; null when it is no JSON. */
  readonly json: Readonly<Record<string, unknown>> | null;
}

export interface Question {
  readonly token?: string;
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** In the place of `json`. */
  readonly body?: string | undefined;
}

export interface Visitor {
  readonly url: string;
  /**
   * @throws AskAgain for a 502 or 503
   * @throws when there is no answer, or a status that is none of the expected ones
   */
  ask(method: string, path: string, question: Question, expected?: readonly number[]): Promise<Answer>;
  /** Reads a stream to its end, or leaves it after its first part. @returns what was read */
  follow(path: string, token: string, toItsEnd: boolean): Promise<string>;
  /** Whether what went wrong is nobody's fault where it is rare; counts it then. */
  excuse(error: unknown): boolean;
  /** How often it did so. */
  readonly excused: number;
  /** Counts an answer that was asked for elsewhere. */
  count(status: number, tookMs: number): void;
  readonly hearing: Hearing;
  readonly asked: number;
  /** How often each status was answered. */
  readonly byStatus: Readonly<Record<string, number>>;
  /** What was answered since it was last called. */
  takeWindow(): AnswersSample;
}

/** The hub itself gives up what it waits for after some seconds; what takes as long as this hangs, however busy the machine is. */
const answerMaxMs = 30_000;
/** The hub says that it may be had later. */
export class AskAgain extends Error {}

/** 502 is for a mail server that did not answer in time. */
const askAgainStatuses: readonly number[] = [502, 503];
export const isAskAgain = (status: number): boolean => askAgainStatuses.includes(status);

const streamMaxMs = 120_000;

/** A connection that was kept was closed just as it was used again, as HTTP has it. */
function isClosed(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNRESET';
}

export function createVisitor(url: string): Visitor {
  const hearing = createHearing(answerMaxMs);
  const byStatus: Record<string, number> = {};
  let tookMs: number[] = [];
  let asked = 0;
  let excused = 0;

  const count = (status: number, took: number): void => {
    asked += 1;
    byStatus[status] = (byStatus[status] ?? 0) + 1;
    tookMs.push(took);
  };

  return {
    url,
    excuse: (error) => {
      const isExcused = error instanceof AskAgain || isClosed(error);
      if (isExcused) excused += 1;
      return isExcused;
    },
    get excused() {
      return excused;
    },
    hearing,
    byStatus,
    count,
    get asked() {
      return asked;
    },
    ask: async (
      method,
      path,
      { token, json, headers, body = json === undefined ? undefined : JSON.stringify(json) },
      expected,
    ) => {
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
        signal: AbortSignal.timeout(2 * answerMaxMs),
      });
      const text = await response.text();
      const took = performance.now() - startedAt;
      count(response.status, took);
      hearing.hear(method, path.split('?', 1)[0]!, response, text, took);
      if (isAskAgain(response.status)) throw new AskAgain(text);
      if (expected?.includes(response.status) === false)
        throw new Error(`${method} ${path} is answered ${response.status}: ${text.slice(0, 500)}`);
      const isJson = (response.headers.get('content-type') ?? '').startsWith('application/json');
      return { status: response.status, text, json: isJson && text !== '' ? JSON.parse(text) : null };
    },
    follow: async (path, token, toItsEnd) => {
      const startedAt = performance.now();
      const response = await fetch(url + path, {
        headers: { authorization: `Bearer ${token}` },
        signal: AbortSignal.timeout(streamMaxMs),
      });
      count(response.status, performance.now() - startedAt);
      if (isAskAgain(response.status)) throw new AskAgain(path);
      if (response.status !== 200 || response.body === null)
        throw new Error(`GET ${path} is answered ${response.status}.`);
      let text = '';
      const decoder = new TextDecoder();
      for await (const chunk of response.body) {
        text += decoder.decode(chunk, { stream: true });
        if (!toItsEnd) break;
      }
      return text;
    },
    takeWindow: () => {
      const sorted = tookMs.toSorted((a, b) => a - b);
      tookMs = [];
      const at = (share: number): number =>
        Math.round((sorted[Math.floor(sorted.length * share)] ?? 0) * 10) / 10;
      return { count: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), byStatus: { ...byStatus } };
    },
  };
}
