/**
 * Records every response of a hub under a workload: whether it matches the OpenAPI document and came in time, how often
 * each status and refusal occurred, and the final outcome of each action, which the checks compare with the store.
 */
import { holdToDocument } from '#test/harness/documented-answers.ts';
import type { Action } from './actions.ts';

export interface Reply {
  readonly status: number;
  readonly text: string;
  /** The parsed body; null if it is not JSON. */
  readonly json: Readonly<Record<string, unknown>> | null;
}

export interface Outcome {
  readonly action: Action;
  /** The final response; null if the client gave up without one. */
  readonly reply: Pick<Reply, 'status' | 'text'> | null;
}

export type Witness = ReturnType<typeof createWitness>;

const keptProblemsMax = 20;
const problemLengthMax = 600;
/** The hub's own rules, and a key whose first request is still running. */
const ordinaryRefusals: readonly string[] = [
  'already_reserved',
  'sold_out',
  'seat_not_found',
  'insufficient_tokens',
  'request_in_progress',
];

/** @param responseMaxMs a slower response is a problem */
export function createWitness(responseMaxMs: number) {
  const hold = holdToDocument();
  /** Refusals by their error code. */
  const refused: Record<string, number> = {};
  const byStatus: Record<string, number> = {};
  /** The first that were reported. */
  const problems: string[] = [];
  const outcomes: Outcome[] = [];
  let windowMs: number[] = [];
  let responses = 0;
  let slowestMs = 0;

  const report = (problem: string): void => {
    if (problems.length < keptProblemsMax) problems.push(problem.slice(0, problemLengthMax));
  };
  /** Counts a response whose body was checked elsewhere. */
  const count = (status: number, tookMs: number): void => {
    responses += 1;
    byStatus[status] = (byStatus[status] ?? 0) + 1;
    slowestMs = Math.max(slowestMs, Math.round(tookMs));
    windowMs.push(tookMs);
  };

  return {
    outcomes,
    retries: 0,
    problems,
    refused,
    byStatus,
    report,
    count,
    /** @param path without its query */
    observe: (method: string, path: string, response: Response, text: string, tookMs: number): Reply => {
      const { status, headers } = response;
      count(status, tookMs);
      const isJson = (headers.get('content-type') ?? '').startsWith('application/json');
      const body = isJson && text !== '' ? JSON.parse(text) : null;
      if (status >= 400) refused[body?.error] = (refused[body?.error] ?? 0) + 1;
      if (tookMs > responseMaxMs) report(`${method} ${path} took ${Math.round(tookMs)} ms: ${status}`);
      try {
        hold(method, path, { status, headers, text, body });
      } catch (error) {
        report(String(error));
      }
      return { status, text, json: body };
    },
    get responses() {
      return responses;
    },
    get acknowledged() {
      return outcomes.filter(({ reply }) => reply !== null && reply.status < 300).length;
    },
    get slowestMs() {
      return slowestMs;
    },
    /** The problems, and every refusal that is neither a rule of the hub nor among the allowed error codes. */
    unexpected: (allowedCodes: readonly string[]) => [
      ...problems,
      ...Object.entries(refused)
        .filter(([code]) => !ordinaryRefusals.includes(code) && !allowedCodes.includes(code))
        .map(([code, times]) => `${times} times ${code}`),
    ],
    /** The responses since the last call. `byStatus` counts from the start. */
    takeWindow: () => {
      const sorted = windowMs.toSorted((a, b) => a - b);
      windowMs = [];
      const at = (share: number): number =>
        Math.round((sorted[Math.floor(sorted.length * share)] ?? 0) * 10) / 10;
      return { count: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), byStatus: { ...byStatus } };
    },
  };
}
