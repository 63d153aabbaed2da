/** The results of items, stored beside the progress of their run, which numbers them. */
import { asc, eq } from 'drizzle-orm';
import type { RunRow } from '#db/schema/run-tables.ts';
import type { StoredItem } from '#evals/stored-item.ts';
import { addTokenUsage } from '#evals/suite/token-usage.ts';
import type { Ctx, TransactionCtx } from '../context.ts';

/** @param position the progress of the run with this item */
export function itemRow(runId: string, position: number, result: StoredItem, finishedAt: Date) {
  return { runId, itemIndex: result.index, position, result, share: result.score, finishedAt };
}

/** Requires a locked run. */
export async function storeItems(
  { db, clock }: TransactionCtx,
  { id, progressDone, usage }: RunRow,
  results: readonly StoredItem[],
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

/** The stored items of a run, in the order of their index. */
export async function listItems({ db }: Ctx, runId: string): Promise<StoredItem[]> {
  const { runItems } = db.tables;
  const rows = await db.query
    .select({ result: runItems.result })
    .from(runItems)
    .where(eq(runItems.runId, runId))
    .orderBy(asc(runItems.itemIndex));
  return rows.map(({ result }) => result);
}
