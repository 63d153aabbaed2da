/** The checks behind `/readyz` of every process. */
import type { Database } from '#db/database.ts';
import { databaseTimeout, isDatabaseUnavailable } from '#db/errors.ts';
import { isUsable, readHistory } from '#db/migrations.ts';
import { isWritable } from '#db/is-writable.ts';
import { within } from '#runtime/within.ts';

export interface ReadinessFailure {
  readonly check: 'database' | 'migrations' | 'redis';
  readonly message: string;
  readonly cause?: unknown;
}

/** A store slower than this counts as unavailable. */
const checkTimeoutMs = 2_000;

/**
 * Returns the failed checks in order; empty when the process can serve. Never rejects.
 * @param pingRedis rejects when Redis cannot be reached; null if the process needs no Redis
 */
export async function checkReadiness(
  db: Database,
  pingRedis: (() => Promise<unknown>) | null,
): Promise<readonly ReadinessFailure[]> {
  const found = await Promise.all([checkDatabase(db), pingRedis === null ? null : checkRedis(pingRedis)]);
  return found.filter((unready) => unready !== null);
}

const notMigrated: ReadinessFailure = {
  check: 'migrations',
  message:
    'The database lacks migrations of this version of the hub, or a newer version has removed something from it.',
};

const notWritable: ReadinessFailure = {
  check: 'database',
  message: 'The database does not accept writes: its disk is full, or it is a read-only replica.',
};

const timedOut = () => databaseTimeout(checkTimeoutMs);

async function checkDatabase(db: Database): Promise<ReadinessFailure | null> {
  try {
    const history = await within(checkTimeoutMs, readHistory(db), timedOut);
    if (!isUsable(history, db)) return notMigrated;
    return (await within(checkTimeoutMs, isWritable(db), timedOut)) ? null : notWritable;
  } catch (cause) {
    // A reachable store without a migrations table has never been migrated.
    if (!isDatabaseUnavailable(cause)) return { ...notMigrated, cause };
    return { check: 'database', message: 'The database cannot be reached.', cause };
  }
}

async function checkRedis(pingRedis: () => Promise<unknown>): Promise<ReadinessFailure | null> {
  try {
    await within(checkTimeoutMs, pingRedis(), () => new Error('It does not respond.'));
    return null;
  } catch (cause) {
    return { check: 'redis', message: 'Redis cannot be reached.', cause };
  }
}
