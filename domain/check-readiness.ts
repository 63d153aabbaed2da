/** The checks behind `/readyz` of every process: what requests need, writes included. */
import { describeOutage } from '#db/describe-outage.ts';
import type { Database } from '#db/database.ts';
import { type FreeSpace, readFreeSpace, whyDiskFills } from '#db/free-space.ts';
import { databaseTimeout, isMissingTable } from '#db/errors.ts';
import { isUsable, readHistory } from '#db/migrations.ts';
import { tryWrite } from '#db/try-write.ts';
import { within } from '#runtime/within.ts';
import { findBackupAlert } from './backups/backup-alert.ts';
import { readBackupState } from './backups/claim-backup.ts';

export interface ReadinessFailure {
  readonly check: 'database' | 'migrations' | 'redis';
  readonly message: string;
  readonly cause?: unknown;
}

export interface Readiness {
  /** Returns the failed checks in order; empty when the process can serve. Never rejects. */
  check(): Promise<readonly ReadinessFailure[]>;
  /** What a process that can serve should tell its operator, in sentences. Never rejects. */
  warnings(now: Date): Promise<readonly string[]>;
}

/** A store slower than this counts as unavailable. */
const checkTimeoutMs = 2_000;
/** Probes, scrapers and people share the result of a write. */
const writeSharedForMs = 2_000;

/** What a process needs of Redis. Both reject when it does not accept the command. */
export interface RedisProbe {
  readonly ping: () => Promise<unknown>;
  readonly write: () => Promise<unknown>;
}

/** @param redis null if the process needs no Redis */
export function createReadiness(
  db: Database,
  redis: RedisProbe | null,
  readSpace: () => Promise<Pick<FreeSpace, 'share'> | null> = () => readFreeSpace(db),
): Readiness {
  const writeDatabase = shared(() => within(checkTimeoutMs, tryWrite(db), timedOut));
  const writeRedis = redis === null ? null : shared(() => within(checkTimeoutMs, redis.write(), noReply));
  return {
    check: async () => {
      const found = await Promise.all([
        checkDatabase(db, writeDatabase),
        redis === null || writeRedis === null ? null : checkRedis(redis, writeRedis),
      ]);
      return found.filter((unready) => unready !== null);
    },
    warnings: async (now) => {
      const found = await Promise.allSettled([
        readSpace().then(whyDiskFills),
        readBackupState({ db, clock: { now: () => now } }).then((state) => {
          const alert = findBackupAlert(state, now);
          return alert === null ? null : `${alert.what} ${alert.remedy}`;
        }),
      ]);
      return found
        .map((one) => (one.status === 'fulfilled' ? one.value : null))
        .filter((one) => one !== null);
    },
  };
}

/** Callers at the same time, and for a while after, get one result. */
function shared(attempt: () => Promise<unknown>): () => Promise<unknown> {
  let last: { readonly result: Promise<unknown>; endedAtMs: number } | null = null;
  return () => {
    if (last !== null && performance.now() - last.endedAtMs < writeSharedForMs) return last.result;
    const own = { result: attempt(), endedAtMs: Number.POSITIVE_INFINITY };
    const end = (): void => void (own.endedAtMs = performance.now());
    own.result.then(end, end);
    last = own;
    return own.result;
  };
}

const saidCharactersMax = 200;

const notMigrated: ReadinessFailure = {
  check: 'migrations',
  message:
    'The database lacks migrations of this version of the hub, or a newer version has removed something from it.',
};

const timedOut = () => databaseTimeout(checkTimeoutMs);
const noReply = () => new Error('It does not respond.');

async function checkDatabase(db: Database, write: () => Promise<unknown>): Promise<ReadinessFailure | null> {
  try {
    const history = await within(checkTimeoutMs, readHistory(db), timedOut);
    if (!isUsable(history, db)) return notMigrated;
    await write();
    return null;
  } catch (cause) {
    // A reachable store without a migrations table has never been migrated.
    if (isMissingTable(cause)) return { ...notMigrated, cause };
    const message =
      describeOutage(cause) ?? 'The database rejects what every request does. The log says why.';
    return { check: 'database', message, cause };
  }
}

async function checkRedis(
  redis: RedisProbe,
  write: () => Promise<unknown>,
): Promise<ReadinessFailure | null> {
  try {
    await within(checkTimeoutMs, redis.ping(), noReply);
  } catch (cause) {
    return { check: 'redis', message: 'Redis cannot be reached.', cause };
  }
  try {
    await write();
    return null;
  } catch (cause) {
    const said = cause instanceof Error ? ` It said: ${cause.message.slice(0, saidCharactersMax)}` : '';
    return {
      check: 'redis',
      message: `Redis does not accept writes: it is full, or a replica.${said}`,
      cause,
    };
  }
}
