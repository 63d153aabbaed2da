import type { AgentCtx } from '../context.ts';
import { DomainError } from '../errors.ts';
import { joinTurns } from '#evals/suite/turns.ts';
import { remakeTask, type Unshown } from './describe-cases.ts';
import { findOwnEvalJob, listCases } from './show-eval-job.ts';
import { operation } from '../operation.ts';

/**
 * Returns the full prompt of a case of the agent's own completed run; several turns as one text.
 *
 * @throws DomainError eval_job_not_found, eval_job_not_completed, case_not_found, prompt_gone
 */
export async function showCasePrompt(
  ctx: AgentCtx,
  { runId, index }: { readonly runId: string; readonly index: number },
): Promise<string> {
  const job = await findOwnEvalJob(ctx, { runId });
  if (job.status !== 'completed') {
    throw new DomainError(
      'eval_job_not_completed',
      `The run is ${job.status}. Only completed runs show their prompts.`,
      {
        hint: `${operation('getEvalJob')} shows its status.`,
      },
    );
  }
  if (index >= job.progressTotal) {
    throw new DomainError('case_not_found', `The run has the cases 0 to ${job.progressTotal - 1}.`, {
      hint: `Use the \`index\` of a case in ${operation('getEvalJob')}.`,
    });
  }
  const stored = await listCases(ctx, { runId });
  const own = stored.find((result) => result.index === index);
  const task = own === undefined ? 'suite gone' : remakeTask(ctx, job, own);
  if (typeof task === 'string') throw promptGone(task);
  return joinTurns(task.turns);
}

const reasons: Readonly<Record<Unshown, string>> = {
  'suite gone': 'The prompts of this run can no longer be regenerated.',
  'pack gone': 'The case is from a private pack that has been removed.',
  'pack in use': 'The case is from a private pack. Its prompts are shown once the pack is retired.',
};

function promptGone(unshown: Unshown): DomainError {
  return new DomainError('prompt_gone', reasons[unshown], {
    hint: 'The score and the summary of its scorecard remain.',
  });
}
