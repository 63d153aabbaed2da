/** Tries an agent before a run is redeemed, so that one that does not work costs none. */
import type { Probe, TargetRequest } from '../api-types.ts';
import { practicePrompt, practise, rejectionBy } from '../evaluate.ts';
import { HubError } from '../hub-error.ts';
import { pause } from '../send.ts';
import { ask, type Connection, NotPossible } from './connection.ts';
import type { Options } from './options.ts';
import { OddReply } from '../reply-fields.ts';
import { ProgramFault } from './program-texts.ts';
import type { ProgramAgent } from './programs.ts';
import type { Suite } from './run.ts';

/** As the tasks of an agent run have them. */
const practiceTask = {
  system: 'This is practice.',
  tools: [
    {
      name: 'task_finish',
      description: 'Ends the task.',
      parameters: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
    },
  ],
};

/**
 * A program for a suite is not tried, unless the run is ranked: it may understand nothing but the cases, and replying to
 * none of the first ones ends the run, which is refunded.
 * @throws NotPossible
 */
export async function tryProgram(
  hub: Connection,
  { product, serve, ranked }: Options,
  agent: ProgramAgent,
  suite: Suite | null,
): Promise<void> {
  if (suite !== null && !serve) sayImages(suite);
  if (suite !== null && !ranked) return;
  const more = product === 'agent-run' ? practiceTask : {};
  const answer = (...asked: Parameters<ProgramAgent['answer']>) => agent.answer(...asked);
  await Promise.race([practise(answer, more), rejectionBy(hub.signal)]).catch((error: unknown) => {
    if (!(error instanceof ProgramFault || error instanceof OddReply)) throw error;
    throw new NotPossible(
      `The program of --cmd did not reply to a practice prompt, so no run was started. ${error.message} It was asked: ${JSON.stringify(practicePrompt)}`,
    );
  });
}

function sayImages({ size: { cases, cases_with_images: withImages } }: Suite): void {
  if (withImages > 0)
    process.stderr.write(
      `${withImages} of ${cases} cases have images. The program reads these cases as JSON.\n`,
    );
}

/** Before each further probe of a target that is overloaded for the moment. */
const pausesMs = [2_000, 5_000];

/**
 * A target that is slow, or busy with calls of the hub, may still be fit for a run, which waits for longer.
 * @returns the target with the URL and the protocol that work
 * @throws NotPossible
 */
export async function tryTarget(
  hub: Connection,
  target: TargetRequest,
  suite: Suite | null,
): Promise<TargetRequest> {
  const size = suite === null ? {} : promptTokensOf(suite);
  try {
    for (let tries = 0; ; tries += 1) {
      const probe = (await ask(hub, 'POST', '/v1/probes', { target, ...size })) as Probe;
      const { ok, code, status, hint, reply_excerpt: reply, target: found } = probe;
      // The hub finds only protocols that it takes.
      if (ok || code === null || code === 'target_timeout') return { ...target, ...found } as TargetRequest;
      const pauseMs = pausesMs[tries];
      if (pauseMs === undefined || status === null || (status !== 429 && status < 500)) {
        const returned = reply === null ? '' : ` The target returned: ${JSON.stringify(reply)}`;
        throw new NotPossible(`The target cannot be used, so no run was started. ${hint}${returned}`);
      }
      process.stderr.write(`Waiting: the target responded with status ${status}.\n`);
      await pause(pauseMs, hub.signal);
    }
  } catch (error) {
    if (error instanceof HubError && error.code === 'rate_limited') return target;
    throw error;
  }
}

const promptTokensMax = 128_000;

/** The longest prompt of a suite, which the probe tries. */
function promptTokensOf({ size: { longest_prompt_tokens: longest } }: Suite) {
  return { prompt_tokens: Math.min(promptTokensMax, Math.max(1, longest)) };
}
