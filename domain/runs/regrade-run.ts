/** Grades the stored replies of a completed run by a newer version of its suite: a run of its own, free and never ranked. */
import type { RunRow } from '#db/schema/run-tables.ts';
import { type AgentCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { operation } from '../operation.ts';
import { findOwnRun, lockOwnRun, requireCompleted, requireItems, type RunKey } from './find-run.ts';
import { productOf } from './products.ts';
import { acceptRedemptions } from './redeem.ts';

export interface RegradeRunInput extends RunKey {
  /** Of the suite; null for the newest. */
  readonly version: number | null;
  readonly label: string | null;
}

/**
 * @returns the new run, which is queued
 * @throws DomainError run_not_found, run_not_completed, gone; conflict for a suite without versions, or a run
 *   that was struck off; those of suites; those of new runs
 */
export async function regradeRun(ctx: AgentCtx, { runId, version, label }: RegradeRunInput): Promise<RunRow> {
  // One that failed was refunded, and its verdicts would be free.
  const run = requireItems(requireCompleted(await findOwnRun(ctx, { runId })));
  const { orders, describe } = productOf(run);
  if (orders.regrade === undefined) {
    throw new DomainError('conflict', `An ${describe.title.toLowerCase()} cannot be regraded.`, {
      hint: 'Regrade a run of a published suite.',
    });
  }
  const ordered = await orders.regrade(ctx, run, version);
  const order = { ...ordered, seed: null, replayOf: null, label };
  const request = { agentId: ctx.agent.id, order, cause: ctx.cause };
  const [result] = await withTransaction(ctx, async (inner) => {
    // A strike waits for this lock, and then finds the new run.
    const { struckAt } = await lockOwnRun(inner, { runId });
    if (struckAt !== null) throw struckOff(runId);
    return acceptRedemptions(inner, [request]);
  });
  if (result === undefined || result instanceof Error) throw result ?? new Error('A request has a result.');
  return result.run;
}

function struckOff(runId: string): DomainError {
  return new DomainError('conflict', `A maintainer has struck run ${runId} off, so it cannot be regraded.`, {
    hint: `${operation('getHub')} names the maintainers.`,
  });
}
