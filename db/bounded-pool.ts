/**
 * A pool of Postgres connections on which nobody waits for ever. The server's own time-outs end what is slow; the ones
 * here end what a server that stands still, or a network that swallows packets, would never answer.
 */
import { SQL, type ReservedSQL } from 'bun';
import { within } from '#runtime/within.ts';
import { databaseTimeout, DatabaseUnavailableError } from './errors.ts';

const poolSize = 10;
const connectTimeoutSeconds = 5;
const idleInTransactionTimeoutMs = 15_000;

export interface PoolBounds {
  /** Less than the next one, so that a slow statement is the server's to end and costs no connection. */
  readonly statementTimeoutMs: number;
  readonly queryTimeoutMs: number;
  /** From asking for a connection to the answer to COMMIT, repetitions included. */
  readonly transactionTimeoutMs: number;
}

/** For the processes of a hub, where somebody waits for an answer. */
export const requestBounds: PoolBounds = {
  statementTimeoutMs: 7_000,
  queryTimeoutMs: 8_000,
  transactionTimeoutMs: 8_000,
};
/** For operators' tools, which may read all there is. */
export const patientBounds: PoolBounds = {
  statementTimeoutMs: 600_000,
  queryTimeoutMs: 601_000,
  transactionTimeoutMs: 601_000,
};
/** What runs in a pool that has been replaced ends by its own time-out in this time. */
const retiredPoolTimeoutSeconds = 9;
const closeTimeoutSeconds = 2;

export interface BoundedPool {
  /** For Drizzle, and for statements outside transactions. */
  readonly client: SQL;
  /**
   * Lends a connection for a transaction. Past the deadline the caller is refused and the connection is closed, as what
   * the server made of the last statement is unknown: it may even have committed.
   *
   * @throws DatabaseUnavailableError after `transactionTimeoutMs`
   */
  withConnection<T>(use: (connection: ReservedSQL) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export function openBoundedPool(url: string, bounds: PoolBounds): BoundedPool {
  let current = connect(url, bounds);
  const retired = new Set<SQL>();

  /** Statements share connections, so which connection does not answer is not known. Transactions that run may end. */
  function replace(pool: SQL): void {
    if (pool !== current) return;
    current = connect(url, bounds);
    retired.add(pool);
    pool
      .close({ timeout: retiredPoolTimeoutSeconds })
      .catch(() => undefined)
      .finally(() => retired.delete(pool));
  }

  function answered<T>(pool: SQL, query: SQL.Query<T>): Promise<T> {
    return within(bounds.queryTimeoutMs, query, () => {
      // A statement that never got a connection tells nothing of the server, and must not be carried out later.
      if (query.active) replace(pool);
      else void query.cancel();
      return databaseTimeout(bounds.queryTimeoutMs);
    });
  }

  function unsafe(text: string, values?: unknown[]): BoundedQuery {
    const pool = current;
    const query = pool.unsafe<unknown[]>(text, values);
    return {
      // A query begins when it is awaited, in the form that is asked for until then.
      // oxlint-disable-next-line unicorn/no-thenable
      then: (onAnswer, onFault) => answered(pool, query).then(onAnswer, onFault),
      values: () => answered(pool, query.values()),
    };
  }

  return {
    // Outside transactions Drizzle calls a client's `unsafe` alone, and awaits the query or its `values()`.
    client: { unsafe } as unknown as SQL,
    withConnection: (use) => lend(current, bounds, use),
    close: async () => {
      await Promise.all([current, ...retired].map((pool) => pool.close({ timeout: closeTimeoutSeconds })));
    },
  };
}

interface BoundedQuery extends PromiseLike<unknown> {
  values(): Promise<unknown>;
}

function connect(url: string, { statementTimeoutMs }: PoolBounds): SQL {
  return new SQL({
    url,
    max: poolSize,
    connectionTimeout: connectTimeoutSeconds,
    connection: {
      application_name: 'agent-hub',
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
    },
  });
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
      if (isOver) throw new DatabaseUnavailableError('The connection came too late.');
      return await use(lent);
    } finally {
      // Nobody waits for this; a connection that broke has nothing to give back.
      lent.release().catch(() => undefined);
    }
  };
  return within(transactionTimeoutMs, run(), () => {
    isOver = true;
    connection?.close({ timeout: 0 }).catch(() => undefined);
    return databaseTimeout(transactionTimeoutMs);
  });
}
