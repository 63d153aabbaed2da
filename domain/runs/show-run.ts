/** A run of any product with its result and its cases, as its agent sees them. */
import { eq } from 'drizzle-orm';
import type { RunRow } from '#db/schema/run-tables.ts';
import type { ShownSuiteCase, SuiteRunResult } from '#evals/own-suite/stored-trial.ts';
import type { AgentCtx } from '../context.ts';
import { findOwnRun, type OwnRunKey } from './find-run.ts';
import { productOf } from './products.ts';
import { listItems } from './store-items.ts';

export interface ShownRun {
  readonly run: RunRow;
  /** Null until the run has completed, and for products whose result is a scorecard. */
  readonly result: SuiteRunResult | null;
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
  const result = await findResult(ctx, run);
  const shown = withCases ? await cases.byCase(ctx, run, await listItems(ctx, run.id)) : null;
  return { run, result, cases: shown };
}

async function findResult({ db }: AgentCtx, { id }: RunRow): Promise<SuiteRunResult | null> {
  const { runScorecards } = db.tables;
  const [stored] = await db.query.select().from(runScorecards).where(eq(runScorecards.runId, id));
  // `scoreSuite` makes it, in the transaction that completes the run.
  return stored === undefined ? null : (stored.scoreJson as unknown as SuiteRunResult);
}
