/**
 * Copies a store into an empty one, of the same kind or the other, table by table from one snapshot. The copy counts only
 * once its rows, checksums, numbers and references are those of the source and `check` has passed. The source is not
 * changed, and a move that is cut off at any point can be started again.
 */
import { and, eq, isNotNull } from 'drizzle-orm';
import type { DatabaseSetting, OpenDatabase } from '../database.ts';
import { isSqliteBusy } from '../errors.ts';
import { explainOpenFailure } from '../explain-open-failure.ts';
import { freezeOf, freezeSettlesMs, storingWhileFrozen } from '../transaction.ts';
import { openExistingDatabase } from '../open-existing-database.ts';
import { requirePoolMode } from '../pool-mode.ts';
import { requireSuitableDatabase } from '../require-suitable.ts';
import { findPrimary } from '../postgres-hosts.ts';
import { freezeSetting } from '../schema/hub-tables.ts';
import { isLastChange } from '../schema/index-conditions.ts';
import { type MovedTable, movedTables, TableSum } from './moved-tables.ts';
import { type MoveTarget, MoveRefusal } from './move-target.ts';
import { isUnused, openPostgresReader, openSqliteReader, type RowReader } from './row-readers.ts';

export const moveSteps = [
  'opened',
  'copying',
  'copied',
  'completed',
  'verified',
  'checked',
  'published',
] as const;
export type MoveStep = (typeof moveSteps)[number];

export interface MoveInput {
  readonly from: DatabaseSetting;
  readonly to: DatabaseSetting;
  /** Whether others may write to the source meanwhile. What they store is not in the copy, which is one snapshot. */
  readonly isLive?: boolean;
  /** Looks at the copy before it counts, and throws if it is not sound. */
  readonly check: (copy: OpenDatabase) => Promise<void>;
  /** Rows are read twice: once from the source, once from the copy. */
  readonly onProgress: (done: number, total: number) => void;
  readonly onStep?: (step: MoveStep) => void;
}

export interface MovedStore {
  readonly tables: number;
  readonly rows: number;
  readonly isFrozen: boolean;
}

/** @throws MoveRefusal when the source is in use, the target is not empty, or the copy differs; StartError when it cannot be opened */
export async function moveStore(input: MoveInput): Promise<MovedStore> {
  const { from, to, check, isLive = false, onStep = () => undefined } = input;
  const isFrozen = await waitForFreeze(from, isLive);
  const source = await openSource(from, isFrozen || isLive);
  let target: MoveTarget | null = null;
  try {
    target = await openTarget(to).catch((error: unknown) => {
      throw explainOpenFailure(to, error) ?? error;
    });
    onStep('opened');
    const total = await countRows(source);
    let done = 0;
    const onRows = (rows: number): void => input.onProgress((done += rows), total * 2);
    const sums = await copyRows(source, target, onRows, onStep);
    onStep('copied');
    await target.complete(await readLastNumbers(source));
    onStep('completed');
    await verify(target, sums, onRows);
    onStep('verified');
    await checkCopy(target.setting, check);
    onStep('checked');
    await target.publish();
    onStep('published');
    return { tables: sums.size, rows: total, isFrozen };
  } finally {
    await target?.close();
    await source.close();
  }
}

/** @returns whether the hub is frozen, and nothing is stored any more */
async function waitForFreeze(from: DatabaseSetting, isLive: boolean): Promise<boolean> {
  // Refuses a store of another version.
  const db = await openExistingDatabase(from);
  try {
    const freeze = await freezeOf(db);
    if (freeze === null || isLive) return false;
    await Bun.sleep(Math.max(0, freeze.frozenAt.getTime() + freezeSettlesMs - Date.now()));
    return true;
  } finally {
    await db.close();
  }
}

const inUse = 'A process of the hub uses the database. Stop all of them, or run `hub freeze` first.';

async function openSource(from: DatabaseSetting, mayBeInUse: boolean): Promise<RowReader> {
  switch (from.kind) {
    case 'sqlite':
      try {
        return openSqliteReader(from.file, { isStopped: !mayBeInUse });
      } catch (error) {
        if (isSqliteBusy(error)) throw new MoveRefusal(inUse, { cause: error });
        throw error;
      }
    case 'postgres': {
      const primary = await findPrimary(from.url);
      if (!mayBeInUse && !(await isUnused(primary))) throw new MoveRefusal(inUse);
      return openPostgresReader(primary);
    }
  }
}

async function openTarget(to: DatabaseSetting): Promise<MoveTarget> {
  switch (to.kind) {
    case 'sqlite': {
      const { openSqliteTarget } = await import('./sqlite-target.ts');
      return openSqliteTarget(to.file);
    }
    case 'postgres': {
      const { openPostgresTarget } = await import('./postgres-target.ts');
      const primary = await findPrimary(to.url);
      await requirePoolMode(primary);
      await requireSuitableDatabase(primary, to.namedBy);
      return openPostgresTarget(primary);
    }
  }
}

async function countRows(source: RowReader): Promise<number> {
  let total = 0;
  for (const table of movedTables) total += await source.count(table);
  return total;
}

type Sums = ReadonlyMap<MovedTable, TableSum>;

async function copyRows(
  source: RowReader,
  target: MoveTarget,
  onRows: (rows: number) => void,
  onStep: (step: MoveStep) => void,
): Promise<Sums> {
  const sums = new Map<MovedTable, TableSum>();
  for (const table of movedTables) {
    const sum = new TableSum();
    sums.set(table, sum);
    for await (const lines of source.read(table)) {
      for (const line of lines) sum.add(line);
      await target.write(table, lines);
      onRows(lines.length);
      onStep('copying');
    }
  }
  return sums;
}

async function readLastNumbers(source: RowReader): Promise<ReadonlyMap<MovedTable, number>> {
  const numbers = new Map<MovedTable, number>();
  for (const table of movedTables.filter(({ numbered }) => numbered !== null))
    numbers.set(table, await source.lastNumber(table));
  return numbers;
}

async function verify(target: MoveTarget, sums: Sums, onRows: (rows: number) => void): Promise<void> {
  const copy = await target.openReader();
  try {
    for (const [table, expected] of sums) {
      const found = new TableSum();
      for await (const lines of copy.read(table)) {
        for (const line of lines) found.add(line);
        onRows(lines.length);
      }
      if (found.rows !== expected.rows || found.checksum !== expected.checksum) {
        throw new MoveRefusal(
          `The copy of ${table.name} differs: ${expected.rows} rows with checksum ${expected.checksum} became ${found.rows} with ${found.checksum}.`,
        );
      }
    }
  } finally {
    await copy.close();
  }
}

/** The copy is not frozen: the hub goes on there. */
async function checkCopy(setting: DatabaseSetting, check: MoveInput['check']): Promise<void> {
  const db = await openExistingDatabase(setting);
  try {
    await storingWhileFrozen(() =>
      db.transaction(({ query, tables: { settingChanges } }) =>
        query
          .update(settingChanges)
          .set({ replacedAt: new Date() })
          .where(
            and(
              eq(settingChanges.name, freezeSetting),
              isLastChange(settingChanges),
              isNotNull(settingChanges.after),
            ),
          ),
      ),
    );
    await check(db);
  } finally {
    await db.close();
  }
}
