/**
 * What is stored of the items of a run: results, beside the progress of the run, which numbers them, and conversations that
 * go on. In pull mode, the rows of these are the leases of the agent's workers; in push mode, a runner holds the whole run,
 * and only the steps count.
 */
import { and, asc, eq, gt, or, sql } from 'drizzle-orm';
import { inList } from '#db/conditions.ts';
import { insertStatement, listParameter, prepareForTransactions, prepareOnce } from '#db/prepared.ts';
import type { LastAnswer, LeaseRow, RunRow } from '#db/schema/run-tables.ts';
import { lockRows } from '#db/transaction.ts';
import type { StoredTrial } from '#evals/own-suite/stored-trial.ts';
import type { TokenUsage, UsageOfReplies } from '#evals/token-usage.ts';
import type { Step } from '#evals/worlds/world.ts';
import { othersTurn } from '#runtime/loop-turns.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { addUsage, waitsForJudges } from './cases/trials.ts';
import { type Ctx, type TransactionCtx, withTransaction } from '../context.ts';
import { runTopic } from './find-run.ts';
import type { RunClaim } from './hold-run.ts';
import { runLeaseMs } from './run-limits.ts';

/** @param position the progress of the run with this item */
function itemRow(
  runId: string,
  position: number,
  result: StoredTrial,
  finishedAt: Date,
  lastAnswer: LastAnswer | null = null,
) {
  const [itemIndex, share, unjudged] = [result.index, result.score, waitsForJudges(result)];
  return { runId, itemIndex, position, result, share, unjudged, lastAnswer, finishedAt };
}

/** SQLite blocks the thread while it reads and writes, so a run of many items is read and written in parts. */
const partItems = 500;

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
  update: ['progressDone', 'delayedMs', 'calls', 'usage', 'leaseUntil'],
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
    let { progressDone } = run;
    let usage = await usageBefore(ctx, run, progress);
    for (const one of progress) {
      if ('open' in one) {
        open.push(one.open);
        continue;
      }
      const { result, isBegun, lastAnswer = null } = one;
      progressDone += 1;
      usage = addUsage(usage, result);
      rows.push(itemRow(run.id, progressDone, result, now, lastAnswer));
      if (isBegun) ended.push({ runId: run.id, itemIndex: result.index });
    }
    // Every step renews the claim of a runner.
    if (run.mode === 'push' || progressDone > run.progressDone)
      saved.push({ ...run, progressDone, usage: usage ?? null });
  }
  await insertInParts(db, rows);
  await deleteLeases(ctx, ended);
  await saveLeases(ctx, open);
  await saveRuns(db, saved);
  db.afterCommit(() => {
    for (const { run } of moved) publisher.signal(runTopic(run.id));
  });
}

/** A run without tokens does not say whether it has replies, which matters once one reports its tokens. */
async function usageBefore(
  ctx: TransactionCtx,
  { id, usage, progressDone }: RunRow,
  progress: readonly Progress[],
): Promise<UsageOfReplies> {
  if (usage !== null || progressDone === 0) return usage ?? undefined;
  if (!progress.some((one) => 'result' in one && one.result.usage !== undefined)) return null;
  const known = await listItemsInParts(ctx, id, (item) => addUsage(undefined, item));
  return known.some((one) => one === null) ? null : undefined;
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

/** Stored items of a run, by their indexes and in that order. */
export async function listItems(
  { db }: Pick<Ctx, 'db'>,
  runId: string,
  indexes: readonly number[],
): Promise<StoredTrial[]> {
  const rows = await selectItems(db).execute({ runId, indexes: listParameter(indexes.map(String)) });
  return rows.map(({ result }) => result);
}

const selectItems = prepareOnce((db) => {
  const { runItems } = db.tables;
  const isChosen = inList(db, runItems.itemIndex, sql.placeholder('indexes'));
  return db.query
    .select({ result: runItems.result })
    .from(runItems)
    .where(and(eq(runItems.runId, sql.placeholder('runId')), isChosen))
    .orderBy(asc(runItems.itemIndex))
    .prepare('list_items');
});

/** When each item of a run was stored, by its index. */
export async function listEnds({ db }: Ctx, runId: string): Promise<ReadonlyMap<number, Date>> {
  const { runItems } = db.tables;
  const rows = await db.query
    .select({ index: runItems.itemIndex, finishedAt: runItems.finishedAt })
    .from(runItems)
    .where(eq(runItems.runId, runId));
  return new Map(rows.map(({ index, finishedAt }) => [index, finishedAt]));
}

/** Which case each stored item of a run is a trial of, in the order of their indexes. */
export function listCaseIds(
  { db }: Ctx,
  runId: string,
): Promise<{ readonly index: number; readonly id: string }[]> {
  const { runItems } = db.tables;
  return db.query
    .select({ index: runItems.itemIndex, id: sql<string>`${runItems.result} ->> 'case_id'` })
    .from(runItems)
    .where(eq(runItems.runId, runId))
    .orderBy(asc(runItems.itemIndex));
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

/** An item whose conversation goes on. */
export interface OpenItem {
  readonly index: number;
  readonly steps: readonly Step[];
  /** The totals over the steps. */
  readonly latencyMs: number;
  readonly usage: TokenUsage | null;
  /** The most that a step needed. */
  readonly attempts: number;
  readonly contextId: string | null;
}

/** The conversations of a run that go on. */
export async function listOpenItems({ db }: Pick<Ctx, 'db'>, runId: string): Promise<OpenItem[]> {
  const { runLeases } = db.tables;
  const rows = await db.query.select().from(runLeases).where(eq(runLeases.runId, runId));
  return rows.map(({ itemIndex, retries, steps, latencyMs, usage, contextId }) => {
    return { index: itemIndex, attempts: retries + 1, steps, latencyMs, usage, contextId };
  });
}

const untimed = new Date(0);

/** The row of a conversation in push mode, which is no lease. */
export function openRow(runId: string, { index, attempts, ...open }: OpenItem): LeaseRow {
  const held = { worker: 'push', times: 1, handedOutAt: untimed, expiresAt: untimed, renewed: false };
  const latencyMs = Math.round(open.latencyMs);
  return { runId, itemIndex: index, ...held, retries: attempts - 1, ...open, latencyMs };
}

const replaced = [
  'worker',
  'times',
  'retries',
  'handedOutAt',
  'expiresAt',
  'renewed',
  'steps',
  'latencyMs',
  'usage',
  'contextId',
] as const satisfies (keyof LeaseRow)[];

/** Requires locked runs. */
export async function saveLeases({ db }: TransactionCtx, rows: readonly LeaseRow[]): Promise<void> {
  if (rows.length === 0) return;
  const { runLeases } = db.tables;
  const set = replaced.map((field) => [field, sql`excluded.${sql.identifier(runLeases[field].name)}`]);
  await db.query
    .insert(runLeases)
    .values([...rows])
    .onConflictDoUpdate({ target: [runLeases.runId, runLeases.itemIndex], set: Object.fromEntries(set) });
}

/** Of items that have ended. */
export async function deleteLeases(
  { db }: TransactionCtx,
  ended: readonly Pick<LeaseRow, 'runId' | 'itemIndex'>[],
): Promise<void> {
  if (ended.length === 0) return;
  const { runLeases } = db.tables;
  const isEnded = ended.map(({ runId, itemIndex }) =>
    and(eq(runLeases.runId, runId), eq(runLeases.itemIndex, itemIndex)),
  );
  await db.query.delete(runLeases).where(or(...isEnded));
}

/** Of a run that a runner has claimed. */
export interface RecordedProgress extends RunClaim {
  readonly progress: Progress;
  /** How long the calls of the run have been delayed so far. */
  readonly delayedMs: number;
  /** Calls to the target since the progress before, with retries. */
  readonly calls: number;
}

// Cases are stored often, so no statement is built for each batch.
const lockRuns = prepareForTransactions((db) => {
  const { runs } = db.tables;
  const wanted = inList(db, runs.id, sql.placeholder('ids'));
  return lockRows(db, db.query.select().from(runs).where(wanted).orderBy(asc(runs.id))).prepare('');
});

/** @returns for each item, in order, whether it was stored; false when another runner holds the claim */
export async function recordItems(ctx: Ctx, finished: readonly RecordedProgress[]): Promise<boolean[]> {
  return withTransaction(ctx, async (inner) => {
    const ids = listParameter([...new Set(finished.map((item) => item.runId))]);
    const found = new Map((await lockRuns(inner.db).execute({ ids })).map((run) => [run.id, run]));
    const isHeld = ({ runId, attempt }: RunClaim): boolean => {
      const run = found.get(runId);
      return run?.attempt === attempt && run.status === 'running';
    };
    const leaseUntil = new Date(inner.clock.now().getTime() + runLeaseMs);
    const byRun = Map.groupBy(finished.filter(isHeld), ({ runId }) => runId);
    const moved = [...found.values()].flatMap((run) => {
      const own = byRun.get(run.id);
      if (own === undefined) return [];
      const delayedMs = Math.max(run.delayedMs, ...own.map((one) => Math.round(one.delayedMs)));
      const calls = own.reduce((sum, one) => sum + one.calls, run.calls);
      return [
        { run: { ...run, leaseUntil, delayedMs, calls }, progress: own.map(({ progress }) => progress) },
      ];
    });
    if (moved.length > 0) {
      await storeProgress(inner, moved);
      crashPoint('cases.written');
    }
    return finished.map(isHeld);
  });
}
