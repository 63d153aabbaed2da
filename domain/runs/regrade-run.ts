/** Grades the stored replies of an ended run by a newer version of its suite: a run of its own, free and never ranked. */
import type { RunRow } from '#db/schema/run-tables.ts';
import { type AgentCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { requireItems } from './export-run.ts';
import { findOwnRun, hasEnded, type RunKey } from './find-run.ts';
import { productOf } from './products.ts';
import { acceptRedemptions } from './redeem.ts';

export interface RegradeRunInput extends RunKey {
  /** Of the suite; null for the newest. */
  readonly version: number | null;
  readonly label: string | null;
}

/**
 * @returns the new run, which is queued
 * @throws DomainError run_not_found, run_not_completed, gone; conflict for a suite without versions; those of
 *   suites; those of new runs
 */
export async function regradeRun(ctx: AgentCtx, { runId, version, label }: RegradeRunInput): Promise<RunRow> {
  const run = await findOwnRun(ctx, { runId });
  if (!hasEnded(run)) throw notEnded(run);
  requireItems(run);
  const { orders, describe } = productOf(run);
  if (orders.regrade === undefined) {
    throw new DomainError('conflict', `An ${describe.noun} cannot be regraded.`, {
      hint: 'Regrade a run of a published suite.',
    });
  }
  const ordered = await orders.regrade(ctx, run, version);
  const order = { ...ordered, seed: null, replayOf: null, label };
  const request = { agentId: ctx.agent.id, order, cause: ctx.cause };
  const [result] = await withTransaction(ctx, (inner) => acceptRedemptions(inner, [request]));
  if (result === undefined || result instanceof Error) throw result ?? new Error('A request has a result.');
  return result.run;
}

function notEnded({ id, status }: RunRow): DomainError {
  return new DomainError('run_not_completed', `Run ${id} is ${status}, so it cannot be regraded yet.`, {
    hint: 'Wait until it ends, or cancel it.',
  });
}
