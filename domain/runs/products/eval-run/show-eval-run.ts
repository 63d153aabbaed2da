/** Eval runs as their owner sees them. For everybody else they do not exist. */
import type { RunRow } from '#db/schema/run-tables.ts';
import type { ShownCase } from '#evals/suite/scorecard/model.ts';
import { joinTurns } from '#evals/suite/turns.ts';
import type { AgentCtx } from '../../../context.ts';
import { DomainError } from '../../../errors.ts';
import { operation } from '../../../operation.ts';
import { findOwnRun, type RunKey } from '../../find-run.ts';
import { describeCases, listCases, remakeTask } from './describe-cases.ts';
import { type EvalScorecard, readScorecard } from './read-scorecard.ts';

/** @throws DomainError eval_job_not_found */
export function findOwnEvalRun(ctx: AgentCtx, runId: string): Promise<RunRow> {
  return findOwnRun(ctx, { runId, product: 'eval-run' });
}

export interface ShowEvalRunInput extends RunKey {
  /** Which parts to read; all of them by default. */
  readonly include?: { readonly scorecard: boolean; readonly cases: boolean };
}

const allParts = { scorecard: true, cases: true };

export interface EvalRunDetail {
  readonly run: RunRow;
  /** Null until the run has completed; a failed run shows neither scores nor prompts. */
  readonly scorecard: EvalScorecard | null;
  /** Empty until the run has completed. */
  readonly cases: readonly ShownCase[];
}

/** @throws DomainError eval_job_not_found */
export async function showEvalRun(
  ctx: AgentCtx,
  { include = allParts, runId }: ShowEvalRunInput,
): Promise<EvalRunDetail> {
  const run = await findOwnEvalRun(ctx, runId);
  if (run.status !== 'completed') return { run, scorecard: null, cases: [] };
  if (!include.scorecard && !include.cases) return { run, scorecard: null, cases: [] };
  const cases = await describeCases(run, await listCases(ctx, runId));
  return {
    run,
    scorecard: include.scorecard ? await readScorecard(ctx, run, cases) : null,
    cases: include.cases ? cases : [],
  };
}

/**
 * Returns the full prompt of a case of the agent's own completed run; several turns as one text.
 *
 * @param named the index or the id of the case
 *
 * @throws DomainError eval_job_not_found, eval_job_not_completed, case_not_found, prompt_gone
 */
export async function showCasePrompt(
  ctx: AgentCtx,
  { runId, named }: { readonly runId: string; readonly named: string },
): Promise<string> {
  const run = await findOwnEvalRun(ctx, runId);
  if (run.status !== 'completed') {
    throw new DomainError(
      'eval_job_not_completed',
      `The run is ${run.status}. Only completed runs show their prompts.`,
      {
        hint: `${operation('getEvalJob')} shows its status.`,
      },
    );
  }
  const stored = await listCases(ctx, runId);
  const own = stored.find(({ index, id }) => String(index) === named || id === named);
  if (own === undefined && !(Number(named) < run.progressTotal)) {
    throw new DomainError('case_not_found', `The run has the cases 0 to ${run.progressTotal - 1}.`, {
      hint: `Use the \`index\` or the \`id\` of a case in ${operation('getEvalJob')}.`,
    });
  }
  const task = own === undefined ? null : remakeTask(run, own);
  if (task === null) throw promptGone();
  return joinTurns(task.turns);
}

function promptGone(): DomainError {
  return new DomainError('prompt_gone', 'The prompts of this run can no longer be regenerated.', {
    hint: 'The score and the summary of its scorecard remain.',
  });
}
