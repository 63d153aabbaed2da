/** The owner of a run decides about a verdict: it is overruled, or confirmed. The original stays beside it. */
import type { JudgedFigures } from '#evals/own-suite/shown-run.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import { type Agreement, agreementOf } from '#evals/own-suite/agreement.ts';
import type { StoredReview, StoredSuiteResult, StoredTrial } from '#evals/own-suite/stored-trial.ts';
import { hasReply } from '#evals/stored-item.ts';
import { storable } from '#evals/safe-text.ts';
import { type AgentCtx, withTransaction } from '../../context.ts';
import { DomainError } from '../../errors.ts';
import { operation } from '../../operation.ts';
import { readResult } from '../cases/read-results.ts';
import { findOwnRun, requireCompleted, type RunKey } from '../find-run.ts';
import { productOf } from '../products.ts';
import { listItems } from '../store-items.ts';
import { type OpenedRun, openCompleted, storeVerdicts } from './change-verdicts.ts';

export interface OverruleInput extends RunKey {
  readonly caseId: string;
  /** Counted from 1. */
  readonly trial: number;
  /** What the verdict should be. */
  readonly passed: boolean;
  readonly reason: string;
}

export interface OverruledCase {
  readonly trial: StoredTrial;
  readonly result: StoredSuiteResult;
}

export const reasonCharactersMax = 1_000;

/**
 * A repetition changes nothing; another decision replaces the last one.
 * @throws DomainError run_not_found, run_not_completed, gone, case_not_found, conflict
 */
export async function overruleCase(ctx: AgentCtx, input: OverruleInput): Promise<OverruledCase> {
  const { runId, caseId, passed } = input;
  const reason = storable(input.reason);
  return withTransaction(ctx, async (inner) => {
    const opened = await openCompleted(inner, { runId });
    const { run, result } = opened;
    const why = await whyFinal(inner, run);
    if (why !== null) throw cannot(why);
    const trial = await findTrial(inner, opened, input);
    if (!hasReply(trial)) throw cannot('The trial has no reply, so its verdict is final.');
    const { review } = trial;
    if (review?.passed === passed && review.reason === reason) return { trial, result };
    const was = review?.was ?? trial.status;
    const share = review?.share ?? trial.score;
    const renewed: StoredTrial = {
      ...trial,
      status: passed ? 'passed' : 'failed',
      score: (was === 'passed') === passed ? share : Number(passed),
      error_code: null,
      review: { passed, was, share, reason, by: inner.agent.handle, at: inner.clock.now().toISOString() },
    };
    const stored: StoredReview = {
      case_id: caseId,
      trial: trial.trial,
      passed,
      was,
      judged: trial.judged !== undefined,
    };
    const others = (result.reviews ?? []).filter(
      (one) => one.case_id !== caseId || one.trial !== trial.trial,
    );
    const reviews = [...others, stored];
    return { trial: renewed, result: await storeVerdicts(inner, opened, [renewed], { reviews }) };
  });
}

/** Why the verdicts of a run cannot be overruled, in a sentence; null if they can. */
export async function whyFinal(ctx: AgentCtx, run: RunRow): Promise<string | null> {
  const { cases } = productOf(run);
  if (run.ranked) return 'A ranked run is compared with those of others, so its verdicts are final.';
  if (cases.judging === undefined) return "The verdicts of the hub's own evaluations are final.";
  if (!(await cases.mayRead(ctx, run)))
    return 'The suite hides what it expects, so you cannot see what the verdict is about.';
  return null;
}

async function findTrial(
  ctx: AgentCtx,
  { run, asked }: OpenedRun,
  { caseId, trial }: OverruleInput,
): Promise<StoredTrial> {
  const place = asked.cases.findIndex(({ id }) => id === caseId);
  const index = asked.indexesOf(place)[trial - 1];
  const [found] = place < 0 || index === undefined ? [] : await listItems(ctx, run.id, [index]);
  if (found !== undefined) return found;
  throw new DomainError(
    'case_not_found',
    `The run has no trial ${trial} of a case ${JSON.stringify(caseId)}.`,
    {
      hint: `${operation('getRun')} with \`include=cases\` shows its cases and trials.`,
    },
  );
}

function cannot(message: string): DomainError {
  return new DomainError('conflict', message, {
    hint: 'Verdicts of runs that are not ranked, of suites whose cases you may read, can be overruled.',
  });
}

export interface RunAgreement {
  /** Verdicts of judges that the runner brings. */
  readonly judges: Agreement;
  /** Verdicts of rules alone. */
  readonly rules: Agreement;
  /** How often the votes of each judge agree; null if no judge was asked. */
  readonly votes: JudgedFigures | null;
}

/** @throws DomainError run_not_found, run_not_completed */
export async function showAgreement(ctx: AgentCtx, { runId }: RunKey): Promise<RunAgreement> {
  const run = requireCompleted(await findOwnRun(ctx, { runId }));
  const { reviews = [], judged = null } = (await readResult(ctx, run.id)) ?? {};
  return {
    judges: agreementOf(reviews.filter((one) => one.judged)),
    rules: agreementOf(reviews.filter((one) => !one.judged)),
    votes: judged,
  };
}
