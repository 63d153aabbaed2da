/** The results of items, stored beside the progress of their run, which numbers them. */
import { and, asc, eq, gt, inArray, sql } from 'drizzle-orm';
import { insertStatement } from '#db/insert-statement.ts';
import type { LastAnswer, LeaseRow, RunRow } from '#db/schema/run-tables.ts';
import { notJudged, type StoredTrial } from '#evals/own-suite/stored-trial.ts';
import { addTokenUsage } from '#evals/token-usage.ts';
import type { Ctx, TransactionCtx } from '../context.ts';
import { deleteLeases, saveLeases } from './leases.ts';
import { runTopic } from './run-limits.ts';

/** @param position the progress of the run with this item */
function itemRow(
  runId: string,
  position: number,
  result: StoredTrial,
  finishedAt: Date,
  lastAnswer: LastAnswer | null = null,
) {
  const [itemIndex, share, unjudged] = [result.index, result.score, result.error_code === notJudged];
  return { runId, itemIndex, position, result, share, unjudged, lastAnswer, finishedAt };
}

/** SQLite blocks the thread while it reads and writes, so a run of many items is read and written in parts. */
const partItems = 500;
const othersTurn = () => new Promise<void>((resolve) => void setImmediate(resolve));

const insertItems = insertStatement('runItems');

/** What a step of a conversation came to: the end of its item, or that it goes on. */
export type Progress =
  | {
      readonly result: StoredTrial;
      /** Whether steps of it were stored before. */
      readonly isBegun: boolean;
      readonly lastAnswer?: LastAnswer | undefined;
    }
  | { readonly open: LeaseRow };

const saveRuns = insertStatement('runs', {
  target: 'id',
  update: ['progressDone', 'delayedMs', 'usage', 'leaseUntil'],
});

interface MovedRun {
  /** Locked. */
  readonly run: RunRow;
  readonly progress: readonly Progress[];
}

/** Stores what came of steps, whoever made them: the agent of a run, or a runner. */
export async function storeProgress(ctx: TransactionCtx, moved: readonly MovedRun[]): Promise<void> {
  const { db, clock, publisher } = ctx;
  const now = clock.now();
  const rows: ReturnType<typeof itemRow>[] = [];
  const open: LeaseRow[] = [];
  const ended: Pick<LeaseRow, 'runId' | 'itemIndex'>[] = [];
  const saved: RunRow[] = [];
  for (const { run, progress } of moved) {
    let { progressDone, usage } = run;
    for (const one of progress) {
      if ('open' in one) {
        open.push(one.open);
        continue;
      }
      const { result, isBegun, lastAnswer = null } = one;
      progressDone += 1;
      usage = addTokenUsage(usage, result.usage ?? null);
      rows.push(itemRow(run.id, progressDone, result, now, lastAnswer));
      if (isBegun) ended.push({ runId: run.id, itemIndex: result.index });
    }
    // Every step renews the claim of a runner.
    if (run.mode === 'push' || progressDone > run.progressDone) saved.push({ ...run, progressDone, usage });
  }
  await insertInParts(db, rows);
  await deleteLeases(ctx, ended);
  await saveLeases(ctx, open);
  await saveRuns(db, saved);
  db.afterCommit(() => {
    for (const { run } of moved) publisher.signal(runTopic(run.id));
  });
}

/** Items that were never answered, stored when their run ends. They are no progress. */
export async function storeMissing(
  { db, clock }: TransactionCtx,
  { id }: Pick<RunRow, 'id'>,
  results: readonly StoredTrial[],
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
): Promise<StoredTrial[]> {
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
  partOf: (item: StoredTrial) => Part,
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
