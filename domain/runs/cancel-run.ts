/** Runs that end before their last case: scored, or refunded because nothing replied. */
import type { RunRow } from '#db/schema/run-tables.ts';
import type { StoredTrial } from '#evals/own-suite/stored-trial.ts';
import { hasReply, whyNoReply } from '#evals/stored-item.ts';
import { type AgentCtx, type Ctx, type TransactionCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { operation } from '../operation.ts';
import { scoreCases } from './cases/score-cases.ts';
import { hasEnded, lockOwnRun, type OwnRunKey } from './find-run.ts';
import { productOf } from './products.ts';
import { failedOutcome, type RunOutcome } from './run-limits.ts';
import { openItems, type RunPlan } from './run-plan.ts';
import { settleLockedRun } from './settle-run.ts';
import { listItemsInParts, listOpenItems } from './store-items.ts';

/**
 * Ends a run. Before its first reply, or the first item of a ranked run, it fails and is refunded. After that, it is
 * completed and charged, and what has no answer scores 0, so that nobody can withdraw a bad result. Cancelling it again
 * changes nothing.
 *
 * @throws DomainError run_not_found, run_ended if it has ended otherwise
 */
export function cancelRun(ctx: AgentCtx, key: OwnRunKey): Promise<RunRow> {
  return withTransaction(ctx, async (inner) => {
    const run = await lockOwnRun(inner, key);
    if (run.cancelled) return run;
    if (!hasEnded(run)) return settleLockedRun(inner, run, await cancelledOutcome(inner, run));
    throw new DomainError('run_ended', `This run has already ${run.status}.`, {
      hint: `${operation('getRun')} shows its result. Only an open run can be cancelled.`,
    });
  });
}

const cancelledUnanswered = {
  kind: 'failed',
  code: 'cancelled',
  message: 'You cancelled the run before its first reply, so it was refunded.',
} as const satisfies RunOutcome;

async function cancelledOutcome(ctx: TransactionCtx, run: RunRow): Promise<RunOutcome> {
  const plan = await productOf(run).cases.plan(ctx, run);
  // Without its suite, a run cannot be scored, which is the hub's fault.
  if (run.status === 'queued' || plan === null) return cancelledUnanswered;
  const outcome = await completeEarly(ctx, run, plan, 'cancelled');
  if (outcome.kind === 'completed') return { ...outcome, cancelled: true };
  return outcome.code === 'no_reply' ? cancelledUnanswered : outcome;
}

/** Scores what has a reply; everything else counts as an error. */
export async function completeEarly(
  ctx: TransactionCtx,
  run: RunRow,
  plan: RunPlan,
  code: string,
): Promise<RunOutcome> {
  const recorded = await listItemsInParts(ctx, run.id, (item) => plan.scored(item));
  return scoreOrRefund(run, plan, recorded, await missingInError(ctx, run, plan, { recorded, code }));
}

interface EndedEarly {
  readonly recorded: readonly StoredTrial[];
  /** Why the others have no reply. */
  readonly code: string;
}

/** The items of a run that ends early without a record: each counts as an error, whatever it would have been. */
export async function missingInError(
  ctx: Ctx,
  { id }: RunRow,
  plan: RunPlan,
  { recorded, code }: EndedEarly,
): Promise<StoredTrial[]> {
  const begun = await listOpenItems(ctx, id);
  const stepsOf = new Map(begun.map(({ index, steps }) => [index, steps]));
  const missing: StoredTrial[] = [];
  for (;;) {
    const open = openItems(plan, [...recorded, ...missing]);
    if (open.length === 0) return missing;
    for (const item of open)
      missing.push(await plan.inError(item, code, { attempts: 0, steps: stepsOf.get(item.index) ?? [] }));
  }
}

/**
 * A run without any reply, be it one of many in a conversation, measures nothing: its program did not work. It is
 * refunded, unless it is ranked: its agent could read the cases and withdraw.
 */
export async function scoreOrRefund(
  run: RunRow,
  plan: RunPlan,
  recorded: readonly StoredTrial[],
  missing: readonly StoredTrial[] = [],
): Promise<RunOutcome> {
  const all = [...recorded, ...missing];
  if (run.ranked || all.some((one) => hasReply(one) || one.begun === true))
    return scoreCases(plan, recorded, missing);
  const [first] = recorded;
  const why = first === undefined ? '' : ` The first reason: ${whyNoReply(first).replace(/\.$/, '')}.`;
  return failedOutcome('no_reply', `No case got a reply.${why}`);
}
