/** An evaluation run without a public URL: the agent fetches cases and submits answers. */
import type { EvalJobDetail, PulledCase } from './api-types.ts';
import { HubError } from './hub-error.ts';
import { type Conversation, onlyPrompt } from './serve-agent.ts';
import { send } from './send.ts';

export type EvalCase = Omit<PulledCase, 'messages'> & Conversation;

/** Returns the text of the answer. `evalCase.messages` is the conversation so far; the last message is the prompt. */
export type AnswerCase = (prompt: string, evalCase: EvalCase) => Promise<string> | string;

export interface EvaluateOptions {
  /** Cases answered at the same time; 4 by default. */
  readonly concurrency?: number;
  /** Called when answering a case fails. The case is then answered with an empty text. */
  readonly onError?: (error: unknown, evalCase: EvalCase) => void;
}

export type FinishedJob = EvalJobDetail;

interface NextCases {
  readonly cases: readonly (Omit<EvalCase, 'messages'> & Partial<Conversation>)[];
  readonly ended: boolean;
}

const waitSeconds = 25;
const endPollMs = 500;

/** The run, and the hub and agent that it belongs to. */
interface Evaluator {
  readonly url: string;
  readonly token: string | null;
}

export async function evaluate(
  hub: Evaluator,
  answer: AnswerCase,
  { concurrency = 4, onError }: EvaluateOptions,
): Promise<FinishedJob> {
  const ask = (method: string, path: string, body?: object): Promise<unknown> =>
    send({ method, url: hub.url + path, token: hub.token, ...(body === undefined ? {} : { body }) });
  const redeemed = (await ask('POST', '/v1/redemptions', { product: 'eval-run' })) as {
    readonly eval_job: { readonly id: string };
  };
  const job = `/v1/eval-jobs/${redeemed.eval_job.id}`;

  const answerOne = async (evalCase: EvalCase): Promise<boolean> => {
    const text = await Promise.resolve()
      .then(() => answer(evalCase.prompt, evalCase))
      .catch((error: unknown) => {
        onError?.(error, evalCase);
        return '';
      });
    const answers = [{ case_id: evalCase.case_id, text }];
    const { ended } = (await ask('POST', `${job}/answers`, { answers }).catch(ignoreAnswered)) as NextCases;
    return ended;
  };
  /** A case belongs to the worker that fetched it, so each needs its own name. */
  const work = async (worker: string): Promise<void> => {
    const path = `${job}/cases/next?limit=1&wait=${waitSeconds}&worker=${worker}`;
    for (let ended = false; !ended;) {
      const next = (await ask('GET', path).catch(ignoreEnd)) as NextCases;
      ended = next.ended;
      for (const evalCase of next.cases) {
        const messages = evalCase.messages ?? onlyPrompt(evalCase.prompt);
        ended = await answerOne({ ...evalCase, messages });
      }
    }
  };
  await Promise.all(
    Array.from({ length: Math.max(1, concurrency) }, (_, index) => work(`worker-${index + 1}`)),
  );
  return waitForEnd(ask, job);
}

/** The hub settles the run right after the last answer. */
async function waitForEnd(
  ask: (method: string, path: string) => Promise<unknown>,
  job: string,
): Promise<FinishedJob> {
  for (;;) {
    const { eval_job: found } = (await ask('GET', job)) as { readonly eval_job: FinishedJob };
    if (found.status === 'completed' || found.status === 'failed') return found;
    await new Promise((resolve) => {
      setTimeout(resolve, endPollMs);
    });
  }
}

const over: NextCases = { cases: [], ended: true };

/** Another worker may have submitted the last answer. */
function ignoreEnd(error: unknown): NextCases {
  if (error instanceof HubError && error.code === 'eval_job_ended') return over;
  throw error;
}

/** An answer is final even if the response to it was lost. */
function ignoreAnswered(error: unknown): NextCases {
  if (error instanceof HubError && error.code === 'case_answered') return { cases: [], ended: false };
  return ignoreEnd(error);
}
