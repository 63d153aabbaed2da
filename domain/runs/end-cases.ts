/** How a run of cases ends: scored, or refunded because nothing replied. */
import type { RunRow } from '#db/schema/run-tables.ts';
import { hasReply, type StoredItem, whyNoReply } from '#evals/stored-item.ts';
import type { TransactionCtx } from '../context.ts';
import { scoreCases } from './cases/score-cases.ts';
import { listOpenItems, type OpenItem } from './leases.ts';
import { failedOutcome, type RunOutcome } from './run-outcome.ts';
import { type CasesOfProduct, openItems, type RunPlan } from './run-plan.ts';
import { listItemsInParts } from './store-items.ts';

/**
 * Completes a run that ends early: every item without a record counts as an error, whatever it would have been.
 *
 * @param begun the conversations that were going on
 * @returns the items that were not recorded
 */
export async function missingInError(
  plan: RunPlan,
  recorded: readonly StoredItem[],
  code: string,
  begun: readonly Pick<OpenItem, 'index' | 'steps'>[],
): Promise<StoredItem[]> {
  const stepsOf = new Map(begun.map(({ index, steps }) => [index, steps]));
  const missing: StoredItem[] = [];
  for (;;) {
    const open = openItems(plan, [...recorded, ...missing]);
    if (open.length === 0) return missing;
    for (const item of open)
      missing.push(await plan.inError(item, code, { attempts: 0, steps: stepsOf.get(item.index) ?? [] }));
  }
}

export type EarlyEnd = 'cancelled' | 'overdue';

/**
 * How an open, locked run of cases ends before its last case. Before its first reply, it is refunded; after that, unanswered
 * cases score 0. A ranked run counts once it has begun, and if its time is up.
 */
export async function endCasesEarly(
  ctx: TransactionCtx,
  run: RunRow,
  why: EarlyEnd,
  cases: CasesOfProduct,
): Promise<RunOutcome> {
  const plan = await cases.plan(ctx, run);
  const isUnbegun = run.status === 'queued';
  switch (why) {
    case 'cancelled': {
      // Without its suite, a run cannot be scored, which is the hub's fault.
      if (isUnbegun || plan === null) return cancelledUnanswered;
      const outcome = await completeEarly(ctx, run, plan, 'cancelled');
      if (outcome.kind === 'completed') return { ...outcome, cancelled: true };
      return outcome.code === 'no_reply' ? cancelledUnanswered : outcome;
    }
    case 'overdue': {
      if (plan === null) {
        return { kind: 'failed', code: 'internal', message: `${cases.goneMessage} The run was refunded.` };
      }
      if (isUnbegun && !run.ranked) {
        const message = 'No case was fetched within 24 hours. The run was refunded.';
        return { kind: 'failed', code: 'deadline_exceeded', message };
      }
      return completeEarly(ctx, run, plan, 'not_answered');
    }
  }
}

export const cancelledUnanswered = {
  kind: 'failed',
  code: 'cancelled',
  message: 'You cancelled the run before its first reply, so it was refunded.',
} as const satisfies RunOutcome;

async function completeEarly(
  ctx: TransactionCtx,
  run: RunRow,
  plan: RunPlan,
  code: string,
): Promise<RunOutcome> {
  const recorded = await listItemsInParts(ctx, run.id, (item) => plan.scored(item));
  const missing = await missingInError(plan, recorded, code, await listOpenItems(ctx, run.id));
  return scoreOrRefund({ run, plan, recorded, missing });
}

interface EndedItems {
  readonly run: RunRow;
  readonly plan: RunPlan;
  readonly recorded: readonly StoredItem[];
  readonly missing?: readonly StoredItem[];
}

/**
 * A run without any reply measures nothing: its program did not work. It is refunded, unless it is ranked: its agent could
 * read the cases and withdraw.
 */
export async function scoreOrRefund({ run, plan, recorded, missing = [] }: EndedItems): Promise<RunOutcome> {
  if (run.ranked || recorded.some(hasReply)) return scoreCases(plan, recorded, missing);
  const [first] = recorded;
  const why = first === undefined ? '' : ` The first reason: ${whyNoReply(first).replace(/\.$/, '')}.`;
  return failedOutcome('no_reply', `No case got a reply.${why}`);
}
