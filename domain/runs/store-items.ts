/** Stores the results of items beside the progress of their run, which numbers them. */
import { eq } from 'drizzle-orm';
import type { RunRow } from '#db/schema/run-tables.ts';
import type { StoredCase } from '#evals/suite/stored-case.ts';
import { addTokenUsage } from '#evals/suite/token-usage.ts';
import type { TransactionCtx } from '../context.ts';

/** @param position the progress of the run with this item */
export function itemRow(runId: string, position: number, result: StoredCase, finishedAt: Date) {
  return { runId, itemIndex: result.index, position, result, share: result.score, finishedAt };
}

/** Requires a locked run. */
export async function storeItems(
  { db, clock }: TransactionCtx,
  { id, progressDone, usage }: RunRow,
  results: readonly StoredCase[],
): Promise<void> {
  if (results.length === 0) return;
  const { runItems, runs } = db.tables;
  const now = clock.now();
  await db.query
    .insert(runItems)
    .values(results.map((result, place) => itemRow(id, progressDone + place + 1, result, now)));
  await db.query
    .update(runs)
    .set({
      progressDone: progressDone + results.length,
      usage: results.reduce((sum, one) => addTokenUsage(sum, one.usage ?? null), usage),
    })
    .where(eq(runs.id, id));
}
