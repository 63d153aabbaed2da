/** What keeps a process from serving, for `/readyz` of every kind of process. */
import type { Database } from '#db/database.ts';
import { databaseTimeout, isDatabaseUnavailable } from '#db/errors.ts';
import { isMigrated } from '#db/migrations.ts';
import { isWritable } from '#db/is-writable.ts';
import { within } from '#runtime/within.ts';

export interface ReadinessFailure {
  readonly check: 'database' | 'migrations' | 'redis';
  readonly message: string;
  readonly cause?: unknown;
}

/** A store that takes longer than this is not ready to serve with. */
const checkTimeoutMs = 2_000;

/**
 * Everything that is not well, in the order of the checks; nothing when requests can be served. Never rejects.
 * @param pingRedis rejects when Redis cannot be reached; null where none is needed
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
  message: 'The database does not have this version’s schema yet.',
};

const notWritable: ReadinessFailure = {
  check: 'database',
  message: 'The database takes no writes: its disk is full, or it is a read-only copy.',
};

const timedOut = () => databaseTimeout(checkTimeoutMs);

async function checkDatabase(db: Database): Promise<ReadinessFailure | null> {
  try {
    if (!(await within(checkTimeoutMs, isMigrated(db), timedOut))) return notMigrated;
    return (await within(checkTimeoutMs, isWritable(db), timedOut)) ? null : notWritable;
  } catch (cause) {
    // A store that answers, and knows nothing of migrations, has had none.
    if (!isDatabaseUnavailable(cause)) return { ...notMigrated, cause };
    return { check: 'database', message: 'The database cannot be reached.', cause };
  }
}

async function checkRedis(pingRedis: () => Promise<unknown>): Promise<ReadinessFailure | null> {
  try {
    await within(checkTimeoutMs, pingRedis(), () => new Error('It does not answer.'));
    return null;
  } catch (cause) {
    return { check: 'redis', message: 'Redis cannot be reached.', cause };
  }
}
