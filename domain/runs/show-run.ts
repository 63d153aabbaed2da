/** A run of any product with its result and its cases, as its agent sees them. */
import { inList } from '#db/in-list.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import type { ShownSuiteCase, StoredSuiteResult } from '#evals/own-suite/stored-trial.ts';
import type { AgentCtx, Ctx } from '../context.ts';
import { findOwnRun, type OwnRunKey } from './find-run.ts';
import { productOf } from './products.ts';
import { listItemsInParts } from './store-items.ts';

export interface ShownRun {
  readonly run: RunRow;
  /** Null until the run has completed, and for products whose result is a scorecard. */
  readonly result: StoredSuiteResult | null;
  /** Null unless they were asked for, or if the product shows its items elsewhere. */
  readonly cases: readonly ShownSuiteCase[] | null;
}

/** @throws DomainError run_not_found */
export async function showOwnRun(
  ctx: AgentCtx,
  { withCases = false, ...key }: OwnRunKey & { readonly withCases?: boolean },
): Promise<ShownRun> {
  const run = await findOwnRun(ctx, key);
  const { cases } = productOf(run);
  if (cases?.byCase === undefined || run.status !== 'completed') return { run, result: null, cases: null };
  const result = (await readSuiteResults(ctx, [run.id])).get(run.id) ?? null;
  if (!withCases) return { run, result, cases: null };
  const items = await listItemsInParts(ctx, run.id, (item) => item);
  return { run, result, cases: await cases.byCase(ctx, run, items) };
}

/** The results of completed suite runs, by the id of the run. */
export async function readSuiteResults(
  { db }: Ctx,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, StoredSuiteResult>> {
  const { runScorecards } = db.tables;
  const stored = await db.query
    .select()
    .from(runScorecards)
    .where(inList(db, runScorecards.runId, runIds));
  // `scoreSuite` makes them, in the transaction that completes the run.
  return new Map(stored.map(({ runId, scoreJson }) => [runId, scoreJson as unknown as StoredSuiteResult]));
}
