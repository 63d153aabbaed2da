/** Runs without a public URL: the agent fetches cases and submits answers. */
import type { AnswersResponse, Operations, PulledCase, PulledCases } from './api-types.ts';
import { HubError } from './hub-error.ts';
import { type Conversation, type Message, onlyPrompt } from './serve-agent.ts';
import { redeem } from './redeem.ts';
import { latencyOf, type Reply, replyFields, storable } from './reply-fields.ts';
import { pause, send } from './send.ts';

export type EvalCase = Omit<PulledCase, keyof Conversation> & Conversation;

/** Returns what the agent says next. `evalCase.messages` is the conversation so far, with the results of its calls. */
export type AnswerCase = (prompt: string, evalCase: EvalCase) => Promise<string | Reply> | string | Reply;

type Order = Partial<Omit<Operations['redeem']['args'], 'target' | 'target_url'>>;

/** The other options are fields of the redemption; the hub refuses those that it does not know. */
export interface EvaluateOptions extends Order {
  /** Cases answered at the same time; 4 by default. */
  readonly concurrency?: number;
  /**
   * Called when answering a case fails or the hub refuses the reply. The case then has no reply, and does not pass. An
   * error here ends the run.
   */
  readonly onError?: (error: unknown, evalCase: EvalCase) => void;
  /** The id of an open run whose client has ended: its answered cases stay answered. By default, a new run starts. */
  readonly resume?: string;
  /** Called every few seconds while the agent has as many runs in progress as its limit allows. */
  readonly onWait?: (refusal: HubError) => void;
}

export type FinishedRun = Operations['getRun']['result']['run'];

type NextCases = Pick<PulledCases, 'ended'> & { readonly cases: readonly EvalCase[] };
type Answered = Omit<AnswersResponse, 'accepted'>;

const waitSeconds = 25;
const endPollMs = 500;
/** If this program is killed, its cases are free again after this time. */
export const leaseSeconds = 60;
const renewEveryMs = 20_000;

/** The hub, and the agent whose run it is. */
interface Evaluator {
  readonly url: string;
  readonly token: string | null;
}

function askOf({ url, token }: Evaluator, signal?: AbortSignal) {
  return (method: string, path: string, body?: object): Promise<unknown> =>
    send({ method, url: url + path, token, body, signal });
}

export async function evaluate(
  hub: Evaluator,
  answer: AnswerCase,
  { concurrency, onError, onWait, resume, ...order }: EvaluateOptions,
): Promise<FinishedRun> {
  const ask = askOf(hub);
  const start = async (): Promise<string> => {
    const redeemed = await redeem(ask, { product: 'eval-run', ...order }, { onWait });
    return (redeemed as { readonly run: { readonly id: string } }).run.id;
  };
  // The cases of a suite may be all that the agent understands, but a ranked run is not refunded.
  const isTried = order.product !== 'suite-run' || order['ranked'] === true;
  if (resume === undefined && isTried) await practise(answer);
  const id = resume ?? (await start());
  await pullCases(hub, id, answer, { concurrency, onError });
  return waitForEnd(ask, id);
}

export interface PullOptions {
  readonly concurrency?: number | undefined;
  readonly onError?: EvaluateOptions['onError'] | undefined;
  readonly signal?: AbortSignal;
  /** Called with the number of cases without an answer. */
  readonly onProgress?: (remaining: number) => void;
}

export const practicePrompt = 'This is a practice prompt, which is not graded. Reply with the word: ready';

/**
 * Asks the agent one prompt before a run is redeemed, so that an agent that does not work costs none.
 * @param more what cases of the product have besides a prompt
 * @throws what the agent throws
 */
export async function practise(
  answer: AnswerCase,
  more: { readonly system?: string; readonly tools?: readonly object[] } = {},
): Promise<void> {
  const messages = onlyPrompt(practicePrompt);
  const given = { case_id: 'practice', prompt: practicePrompt, messages, ...more };
  // Of the other fields, which are about the run, it has none.
  replyFields(await answer(practicePrompt, given as unknown as EvalCase));
}

/** Answers the cases of a run until it has ended. If a worker fails, the others take no further case. */
export async function pullCases(
  hub: Evaluator,
  runId: string,
  answer: AnswerCase,
  { concurrency = 4, onError, onProgress, signal }: PullOptions,
): Promise<void> {
  const failed = new AbortController();
  const over = signal === undefined ? failed.signal : AbortSignal.any([signal, failed.signal]);
  const ask = askOf({ ...hub, url: `${hub.url}/v1/runs/${runId}` }, over);

  /** @returns the case as it goes on, if it does */
  const takeStep = async (evalCase: EvalCase): Promise<{ ended: boolean; next: EvalCase | null }> => {
    const fields = await Promise.resolve()
      .then(() => answer(evalCase.prompt, evalCase))
      .then((reply) => ({ ...replyFields(reply), ...latencyOf(reply) }))
      .catch((error: unknown) => {
        over.throwIfAborted();
        onError?.(error, evalCase);
        return { error: reasonOf(error) };
      });
    const submit = (given: object): Promise<unknown> =>
      ask('POST', '/answers', { answers: [{ case_id: evalCase.case_id, step: evalCase.step, ...given }] });
    // One reply that the hub cannot take, such as a text that is too long, is an error of its case.
    const submitReason = (error: unknown): Promise<unknown> => {
      if (!isRefusal(error) || 'error' in fields) throw error;
      onError?.(error, evalCase);
      return submit({ error: reasonOf(error) });
    };
    const answered = (await submit(fields).catch(submitReason).catch(ignoreAnswered)) as Answered;
    if (answered.remaining >= 0) onProgress?.(answered.remaining);
    const next = nextOf(evalCase, fields, answered);
    return { ended: answered.ended, next };
  };
  /** A case belongs to the worker that fetched it, so each needs its own name, also among programs on the same run. */
  const work = async (worker: string): Promise<void> => {
    const fetchOf = (limit: number, wait: number): string =>
      `/cases/next?limit=${limit}&wait=${wait}&worker=${worker}&lease_s=${leaseSeconds}`;
    const path = fetchOf(1, waitSeconds);
    for (let ended = false; !ended;) {
      const next = (await ask('GET', path).catch(ignoreEnd)) as NextCases;
      ended = next.ended;
      for (const evalCase of next.cases) {
        const renewing = setInterval(() => {
          // The answer counts even if the lease is lost.
          ask('GET', fetchOf(0, 0)).catch(() => undefined);
        }, renewEveryMs);
        try {
          let open: EvalCase | null = evalCase;
          while (open !== null) ({ ended, next: open } = await takeStep(open));
        } finally {
          clearInterval(renewing);
        }
      }
    }
  };
  const name = crypto.randomUUID().slice(0, 8);
  const workers = Array.from({ length: Math.max(1, concurrency) }, (_, index) =>
    work(`${name}-${index + 1}`).catch((error: unknown) => {
      failed.abort(error);
      throw error;
    }),
  );
  // A worker that waits for its answer does not notice the end.
  await Promise.race([Promise.all(workers), rejectionBy(over)]);
}

/** @returns null if the case is over */
function nextOf(evalCase: EvalCase, fields: object, { cases: [came] }: Answered): EvalCase | null {
  if (came === undefined || came.done) return null;
  const { messages: added = [], step = evalCase.step + 1 } = came;
  const { text = '', tool_calls: calls } = fields as {
    readonly text?: string;
    readonly tool_calls?: unknown;
  };
  // The hub has accepted them.
  const said = {
    role: 'assistant',
    content: text,
    ...(calls === undefined ? {} : { tool_calls: calls }),
  } as Message;
  const prompt = added.findLast(({ role }) => role === 'user')?.content ?? evalCase.prompt;
  // The hub sends them in the form of the client.
  return { ...evalCase, step, prompt, messages: [...evalCase.messages, said, ...(added as Message[])] };
}

const reasonCharacters = 500;

/** As the hub accepts it: short, and without NUL and half surrogate pairs. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const characters = Array.from(storable(text));
  return characters.slice(0, reasonCharacters / 2).join('') || 'The agent failed.';
}

/** Rejects with the reason of the signal. */
export function rejectionBy(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

/** The hub settles the run right after the last answer. */
async function waitForEnd(
  ask: (method: string, path: string) => Promise<unknown>,
  id: string,
): Promise<FinishedRun> {
  for (;;) {
    const { run } = (await ask('GET', `/v1/runs/${id}`)) as { readonly run: FinishedRun };
    if (run.status === 'completed' || run.status === 'failed') return run;
    await pause(endPollMs);
  }
}

/** It does not say how many cases remain. */
const over: NextCases & Answered = { cases: [], remaining: -1, ended: true };

function isRefusal(error: unknown): boolean {
  return error instanceof HubError && ['invalid_body', 'body_too_large'].includes(error.code);
}

/** Another worker may have submitted the last answer. */
function ignoreEnd(error: unknown): NextCases & Answered {
  if (error instanceof HubError && error.code.endsWith('_ended')) return over;
  throw error;
}

/** Another program has taken the step, or its time had run out. What is open is fetched again. */
function ignoreAnswered(error: unknown): Answered {
  if (error instanceof HubError && ['case_answered', 'wrong_step'].includes(error.code))
    return { ...over, ended: false };
  return ignoreEnd(error);
}
