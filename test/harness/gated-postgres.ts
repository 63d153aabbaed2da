/** A Postgres store behind a gate that the test can shut. */
import type { PoolBounds } from '#db/bounded-pool.ts';
import { openPostgres } from '#db/postgres.ts';
import { openScratchStore } from './stores.ts';
import { createTcpGate } from './tcp-gate.ts';

export type GatedPostgres = Awaited<ReturnType<typeof openGatedPostgres>>;

/** Shorter than those of the hub, so that tests of what happens after them need not wait as long. */
export const briefBounds: PoolBounds = {
  statementTimeoutMs: 2_500,
  queryTimeoutMs: 3_000,
  transactionTimeoutMs: 3_000,
};

export async function openGatedPostgres(bounds = briefBounds, poolSize?: number) {
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
    /** Connected through the gate. */
    db,
    /** Without the gate. */
    url: store.setting.url,
    remove: async () => {
      await db.close();
      gate.shut();
      await store.remove();
    },
  };
}
