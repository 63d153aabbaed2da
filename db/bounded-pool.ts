/**
 * A pool of Postgres connections with a bound on every wait. The server's timeouts end slow statements. The
 * timeouts here cover a server that hangs and a network that drops packets.
 */
import { SQL, type ReservedSQL } from 'bun';
import { sql, type SQL as QueryText } from 'drizzle-orm';
import { within } from '#runtime/within.ts';
import { databaseTimeout, DatabaseUnavailableError, isDatabaseUnavailable } from './errors.ts';
import { pooledUrlOf } from './pool-mode.ts';
import { watchPrimary } from './postgres-hosts.ts';

const connectTimeoutSeconds = 5;
const idleInTransactionTimeoutMs = 15_000;

export interface PoolBounds {
  /** Less than `queryTimeoutMs`: the server then ends a slow statement, which costs no connection. */
  readonly statementTimeoutMs: number;
  readonly queryTimeoutMs: number;
  /** From the request for a connection to the reply to COMMIT, retries included. */
  readonly transactionTimeoutMs: number;
}

/** For the hub's processes, where a client waits for a response. */
export const requestBounds: PoolBounds = {
  statementTimeoutMs: 7_000,
  queryTimeoutMs: 8_000,
  transactionTimeoutMs: 8_000,
};
/** For operators' tools, which may read whole tables. */
export const patientBounds: PoolBounds = {
  statementTimeoutMs: 600_000,
  queryTimeoutMs: 601_000,
  transactionTimeoutMs: 601_000,
};
/** Longer than the timeouts of statements still running in a pool that was replaced. */
const retiredPoolTimeoutSeconds = 9;
const closeTimeoutSeconds = 2;

export interface BoundedPool {
  /** For Drizzle, and for statements outside transactions. */
  readonly client: SQL;
  /**
   * Lends a connection for a transaction. After the deadline the call rejects and the connection is closed,
   * because the outcome of the last statement is unknown: the server may even have committed.
   *
   * @throws DatabaseUnavailableError after `transactionTimeoutMs`
   */
  withConnection<T>(use: (connection: ReservedSQL) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** @param primary the host of `address` to start with */
export function openBoundedPool(address: string, bounds: PoolBounds, primary: string): BoundedPool {
  let url = primary;
  let current = connect(url, bounds);
  const retired = new Set<SQL>();
  const watch = watchPrimary(address, primary, (found) => {
    url = found;
    replace(current);
  });

  /** Statements share connections, so the one that hangs is unknown. Running transactions may finish. */
  function replace(pool: SQL): void {
    if (pool !== current) return;
    current = connect(url, bounds);
    retired.add(pool);
    pool
      .close({ timeout: retiredPoolTimeoutSeconds })
      .catch(() => undefined)
      .finally(() => retired.delete(pool));
  }

  /** The primary may have failed over. */
  async function noticing<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (isDatabaseUnavailable(error)) watch.suspect();
      throw error;
    }
  }

  function answered<T>(pool: SQL, query: SQL.Query<T>): Promise<T> {
    return noticing(
      within(bounds.queryTimeoutMs, query, () => {
        // A statement that never got a connection is no evidence against the server, and must not run later.
        if (query.active) replace(pool);
        else void query.cancel();
        return databaseTimeout(bounds.queryTimeoutMs);
      }),
    );
  }

  function unsafe(text: string, values?: unknown[]): BoundedQuery {
    const pool = current;
    const query = pool.unsafe<unknown[]>(text, values);
    return {
      // A query starts when it is awaited, and its result format can be chosen until then.
      // oxlint-disable-next-line unicorn/no-thenable
      then: (onAnswer, onFault) => answered(pool, query).then(onAnswer, onFault),
      values: () => answered(pool, query.values()),
      execute: () => answered(pool, query),
    };
  }

  return {
    // Outside transactions Drizzle and `sendStatement` only call `unsafe`, and these methods of the query.
    client: { unsafe } as unknown as SQL,
    withConnection: (use) => noticing(lend(current, bounds, use)),
    close: async () => {
      watch.close();
      await Promise.all([current, ...retired].map((pool) => pool.close({ timeout: closeTimeoutSeconds })));
    },
  };
}

interface BoundedQuery extends PromiseLike<unknown> {
  values(): Promise<unknown>;
  execute(): Promise<unknown>;
}

function connect(given: string, { statementTimeoutMs }: PoolBounds): SQL {
  const { url, isPooled, poolSize } = pooledUrlOf(given);
  const timeouts = {
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
  };
  return new SQL({
    url,
    max: poolSize,
    prepare: !isPooled,
    connectionTimeout: connectTimeoutSeconds,
    connection: { application_name: 'agent-hub', ...(isPooled ? {} : timeouts) },
  });
}

/** The timeouts of one transaction, for poolers, which lose those of a connection. */
export function transactionTimeouts({ statementTimeoutMs }: PoolBounds): QueryText {
  return sql`select set_config('statement_timeout', ${String(statementTimeoutMs)}, true), set_config('idle_in_transaction_session_timeout', ${String(idleInTransactionTimeoutMs)}, true)`;
}

function lend<T>(
  pool: SQL,
  { transactionTimeoutMs }: PoolBounds,
  use: (connection: ReservedSQL) => Promise<T>,
): Promise<T> {
  let connection: ReservedSQL | null = null;
  let isOver = false;
  const run = async (): Promise<T> => {
    const lent = await pool.reserve();
    connection = lent;
    try {
      if (isOver) throw new DatabaseUnavailableError('The connection was not available in time.');
      return await use(lent);
    } finally {
      // Nothing waits for the release, and a broken connection has nothing to return.
      lent.release().catch(() => undefined);
    }
  };
  return within(transactionTimeoutMs, run(), () => {
    isOver = true;
    connection?.close({ timeout: 0 }).catch(() => undefined);
    return databaseTimeout(transactionTimeoutMs);
  });
}
