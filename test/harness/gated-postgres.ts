/** A Postgres store behind a gate that the test can shut. */
import type { OpenDatabase } from '#db/database.ts';
import type { PoolBounds } from '#db/bounded-pool.ts';
import { openPostgres } from '#db/postgres.ts';
import { openScratchStore } from './stores.ts';
import { createTcpGate, type TcpGate } from './tcp-gate.ts';

export interface GatedPostgres {
  readonly gate: TcpGate;
  /** Connected through the gate. */
  readonly db: OpenDatabase;
  /** Without the gate. */
  readonly url: string;
  /** Closes all connections and removes the store. */
  remove(): Promise<void>;
}

/** Shorter than those of the hub, so that tests of what happens after them need not wait as long. */
export const briefBounds: PoolBounds = {
  statementTimeoutMs: 2_500,
  queryTimeoutMs: 3_000,
  transactionTimeoutMs: 3_000,
};

export async function openGatedPostgres(bounds = briefBounds, poolSize?: number): Promise<GatedPostgres> {
  const store = await openScratchStore('postgres');
  if (store.setting.kind !== 'postgres') throw new Error('not a Postgres store');
  const url = new URL(store.setting.url);
  const gate = await createTcpGate({ hostname: url.hostname, port: Number(url.port || 5432) });
  url.hostname = '127.0.0.1';
  url.port = String(gate.port);
  if (poolSize !== undefined) url.searchParams.set('pool_size', String(poolSize));
  const db = openPostgres(url.href, bounds);
  return {
    gate,
    db,
    url: store.setting.url,
    remove: async () => {
      await db.close();
      gate.shut();
      await store.remove();
    },
  };
}
