/** The results of items, stored beside the progress of their run, which numbers them. */
import { and, asc, eq, gt, inArray, sql } from 'drizzle-orm';
import { insertStatement } from '#db/insert-statement.ts';
import type { LastAnswer, RunRow } from '#db/schema/run-tables.ts';
import { notJudged } from '#evals/own-suite/stored-trial.ts';
import type { StoredItem } from '#evals/stored-item.ts';
import { addTokenUsage } from '#evals/token-usage.ts';
import type { Ctx, TransactionCtx } from '../context.ts';

/** @param position the progress of the run with this item */
export function itemRow(
  runId: string,
  position: number,
  result: StoredItem,
  finishedAt: Date,
  lastAnswer: LastAnswer | null = null,
) {
  const [itemIndex, share, unjudged] = [result.index, result.score, result.error_code === notJudged];
  return { runId, itemIndex, position, result, share, unjudged, lastAnswer, finishedAt };
}

/** SQLite blocks the thread while it reads and writes, so a run of many items is read and written in parts. */
const partItems = 500;
const othersTurn = () => new Promise<void>((resolve) => void setImmediate(resolve));

export const insertItems = insertStatement('runItems');

/** Requires a locked run. */
export async function storeItems(
  { db, clock }: TransactionCtx,
  { id, progressDone, usage }: Pick<RunRow, 'id' | 'progressDone' | 'usage'>,
  results: readonly StoredItem[],
  lastAnswers: ReadonlyMap<number, LastAnswer> = new Map(),
): Promise<void> {
  if (results.length === 0) return;
  const { runs } = db.tables;
  const now = clock.now();
  const rows = results.map((result, place) =>
    itemRow(id, progressDone + place + 1, result, now, lastAnswers.get(result.index)),
  );
  await insertInParts(db, rows);
  await db.query
    .update(runs)
    .set({
      progressDone: progressDone + results.length,
      usage: results.reduce((sum, one) => addTokenUsage(sum, one.usage ?? null), usage),
    })
    .where(eq(runs.id, id));
}

/** Items that were never answered, stored when their run ends. They are no progress. */
export async function storeMissing(
  { db, clock }: TransactionCtx,
  { id }: Pick<RunRow, 'id'>,
  results: readonly StoredItem[],
): Promise<void> {
  const now = clock.now();
  await insertInParts(
    db,
    results.map((result, place) => itemRow(id, -1 - place, result, now)),
  );
}

async function insertInParts(
  db: TransactionCtx['db'],
  rows: readonly ReturnType<typeof itemRow>[],
): Promise<void> {
  for (let first = 0; first < rows.length; first += partItems) {
    if (first > 0) await othersTurn();
    await insertItems(db, rows.slice(first, first + partItems));
  }
}

/** The size of the stored items of a run, most of which are replies. */
export async function bytesOfItems({ db }: Ctx, runId: string): Promise<number> {
  const { runItems } = db.tables;
  const [sum] = await db.query
    .select({ bytes: sql`coalesce(sum(octet_length(cast(${runItems.result} as text))), 0)`.mapWith(Number) })
    .from(runItems)
    .where(eq(runItems.runId, runId));
  return sum?.bytes ?? 0;
}

/**
 * The stored items of a run, in the order of their index.
 * @param indexes all by default
 */
export async function listItems(
  { db }: Pick<Ctx, 'db'>,
  runId: string,
  indexes?: readonly number[],
): Promise<StoredItem[]> {
  const { runItems } = db.tables;
  const isChosen = indexes === undefined ? undefined : inArray(runItems.itemIndex, [...indexes]);
  const rows = await db.query
    .select({ result: runItems.result })
    .from(runItems)
    .where(and(eq(runItems.runId, runId), isChosen))
    .orderBy(asc(runItems.itemIndex));
  return rows.map(({ result }) => result);
}

/** A part of each stored item of a run, in the order of their index. */
export async function listItemsInParts<Part>(
  { db }: Ctx,
  runId: string,
  partOf: (item: StoredItem) => Part,
): Promise<Part[]> {
  const { runItems } = db.tables;
  const parts: Part[] = [];
  for (let after = -1; ;) {
    const rows = await db.query
      .select({ index: runItems.itemIndex, result: runItems.result })
      .from(runItems)
      .where(and(eq(runItems.runId, runId), gt(runItems.itemIndex, after)))
      .orderBy(asc(runItems.itemIndex))
      .limit(partItems);
    for (const { result } of rows) parts.push(partOf(result));
    const last = rows.at(-1);
    if (last === undefined || rows.length < partItems) return parts;
    after = last.index;
    await othersTurn();
  }
}
