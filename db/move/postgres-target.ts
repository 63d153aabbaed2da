/**
 * Writes a store into an empty Postgres database. A table marks it as the copy of an unfinished move, and only a database
 * with this mark is ever cleared.
 */
import type { ReservedSQL, SQL } from 'bun';
import { getTableName } from 'drizzle-orm';
import { within } from '#runtime/within.ts';
import { DatabaseUnavailableError } from '../errors.ts';
import { migratePostgres, unfinishedMoveTable } from '../postgres.ts';
import { migrationsFolder, assertUpgradable, readPostgresHistory } from '../migrations.ts';
import { postgresTables } from '../schema/postgres.ts';
import { type MovedTable, postgresInsert } from './moved-tables.ts';
import { type MoveTarget, MoveRefusal } from './move-target.ts';
import { connectForMove, openPostgresReader } from './row-readers.ts';

/** Differs from the lock of migrations. */
const lockKey = 4_831_977_204n;
/** A killed move keeps its lock until the server has ended its last statement. */
const lockWaitMs = 60_000;
/** Two cores insert what one can read. */
const writersMax = 3;
const greetingTimeoutMs = 8_000;

/**
 * @param url the primary
 * @throws MoveRefusal when the database is not empty
 */
export async function openPostgresTarget(url: string): Promise<MoveTarget> {
  const holder = connectForMove(url, 1);
  const pool = connectForMove(url, writersMax);
  const closeAll = async (): Promise<void> => {
    await Promise.all([holder, pool].map((each) => each.close({ timeout: 1 }).catch(() => undefined)));
  };
  try {
    const lock = await takeLock(holder);
    await prepare(pool, url);
    const dropped = await dropIndexes(pool);
    return createTarget({ url, pool, dropped, lock, closeAll });
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** Held by an open transaction, because a pooler would keep the lock of a session. */
async function takeLock(holder: SQL): Promise<ReservedSQL> {
  const lock = await within<ReservedSQL>(
    greetingTimeoutMs,
    holder.reserve(),
    () => new DatabaseUnavailableError('The target does not respond.'),
  );
  await lock.unsafe('begin');
  await lock.unsafe(`set local lock_timeout = ${lockWaitMs}`);
  await lock.unsafe(`select pg_advisory_xact_lock(${lockKey})`);
  return lock;
}

async function prepare(pool: SQL, url: string): Promise<void> {
  const tables = await namesOf(
    pool,
    `select tablename as name from pg_tables where schemaname in (current_schema(), 'drizzle')`,
  );
  if (tables.includes(unfinishedMoveTable)) await clear(pool);
  else if (tables.length > 0) await requireEmptyHub(pool, tables);
  await pool.unsafe(
    `create table if not exists ${unfinishedMoveTable} (begun_at timestamptz not null default now())`,
  );
  await migratePostgres(url, migrationsFolder('postgres'), true);
}

const migrationsTable = '__drizzle_migrations';

/** @throws MoveRefusal unless the tables are those of an empty hub of this version */
async function requireEmptyHub(pool: SQL, tables: readonly string[]): Promise<void> {
  const own = new Set([...ownTables(), migrationsTable]);
  const foreign = tables.find((name) => !own.has(name));
  if (foreign !== undefined)
    throw new MoveRefusal(`The target is not empty: it has a table ${foreign}. Name an empty database.`);
  const history = await readPostgresHistory(pool);
  try {
    assertUpgradable(history, migrationsFolder('postgres'));
  } catch (cause) {
    throw new MoveRefusal('The target has the schema of another version. Name an empty database.', { cause });
  }
  for (const name of ownTables().filter((one) => tables.includes(one))) {
    const rows = await pool.unsafe(`select 1 from "${name}" limit 1`);
    if (rows.length > 0)
      throw new MoveRefusal(`The target is not empty: its table ${name} has rows. Name an empty database.`);
  }
}

function ownTables(): readonly string[] {
  return Object.values(postgresTables).map((table) => getTableName(table));
}

/** Removes the tables of an unfinished move. The mark stays, so that a move that is cut off here is cleared too. */
async function clear(pool: SQL): Promise<void> {
  for (const name of ownTables()) await pool.unsafe(`drop table if exists "${name}" cascade`);
  await pool.unsafe(`drop table if exists drizzle.${migrationsTable}`);
}

interface Dropped {
  /** The statements that make them again. */
  readonly indexes: readonly string[];
  readonly references: readonly string[];
}

async function dropIndexes(pool: SQL): Promise<Dropped> {
  // The statements say what their rows hold.
  const references = (await pool.unsafe(
    `select conname as name, conrelid::regclass::text as owner, pg_get_constraintdef(oid) as definition
       from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace`,
  )) as { name: string; owner: string; definition: string }[];
  const indexes = (await pool.unsafe(
    `select c.relname as name, pg_get_indexdef(i.indexrelid) as definition
       from pg_index i join pg_class c on c.oid = i.indexrelid
      where c.relnamespace = current_schema()::regnamespace
        and not exists (select from pg_constraint k where k.conindid = i.indexrelid)`,
  )) as { name: string; definition: string }[];
  for (const { name, owner } of references)
    await pool.unsafe(`alter table ${owner} drop constraint "${name}"`);
  for (const { name } of indexes) await pool.unsafe(`drop index "${name}"`);
  return {
    indexes: indexes.map(({ definition }) => definition),
    references: references.map(
      ({ name, owner, definition }) => `alter table ${owner} add constraint "${name}" ${definition}`,
    ),
  };
}

interface TargetParts {
  readonly url: string;
  readonly pool: SQL;
  readonly dropped: Dropped;
  readonly lock: ReservedSQL;
  readonly closeAll: () => Promise<void>;
}

function createTarget({ url, pool, dropped, lock, closeAll }: TargetParts): MoveTarget {
  const underWay = new Set<Promise<unknown>>();
  let failure: { readonly error: unknown } | null = null;
  const settle = async (leaving: number): Promise<void> => {
    while (underWay.size > leaving) await Promise.race(underWay);
    if (failure !== null) throw failure.error;
  };
  return {
    write: async (table, lines) => {
      await settle(writersMax - 1);
      const written = pool
        .unsafe(postgresInsert(table), [`[${lines.join(',')}]`])
        .catch((error: unknown) => (failure ??= { error }))
        .finally(() => underWay.delete(written));
      underWay.add(written);
    },
    complete: async (lastNumbers) => {
      await settle(0);
      await continueNumbers(pool, lastNumbers);
      await inParallel(pool, dropped.indexes);
      // One after the other, because two that lock the same tables could deadlock.
      for (const statement of dropped.references) await pool.unsafe(statement);
      await pool.unsafe('analyze');
    },
    setting: { kind: 'postgres', url },
    openReader: () => openPostgresReader(url),
    publish: async () => {
      await pool.begin(async (tx) => {
        // Makes everything before it durable too.
        await tx.unsafe('set local synchronous_commit = on');
        await tx.unsafe(`drop table ${unfinishedMoveTable}`);
      });
    },
    close: async () => {
      await Promise.allSettled(underWay);
      await lock.unsafe('rollback').catch(() => undefined);
      await lock.release();
      await closeAll();
    },
  };
}

async function continueNumbers(pool: SQL, lastNumbers: ReadonlyMap<MovedTable, number>): Promise<void> {
  for (const [{ name, numbered }, last] of lastNumbers)
    if (last > 0) await pool.unsafe(`select setval('${name}_${numbered}_seq', ${last})`);
}

async function inParallel(pool: SQL, statements: readonly string[]): Promise<void> {
  const waiting = [...statements];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await pool.unsafe(next);
  };
  await Promise.all(Array.from({ length: writersMax }, work));
}

async function namesOf(pool: SQL, statement: string): Promise<readonly string[]> {
  // The statement selects a name.
  const rows = (await pool.unsafe(statement)) as { name: string }[];
  return rows.map(({ name }) => name);
}
