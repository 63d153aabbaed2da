/** A Postgres store behind a gate that the test can shut. */
import type { OpenDatabase } from '#db/database.ts';
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

export async function openGatedPostgres(): Promise<GatedPostgres> {
  const store = await openScratchStore('postgres');
  if (store.setting.kind !== 'postgres') throw new Error('not a Postgres store');
  const url = new URL(store.setting.url);
  const gate = await createTcpGate({ hostname: url.hostname, port: Number(url.port || 5432) });
  url.hostname = '127.0.0.1';
  url.port = String(gate.port);
  const db = openPostgres(url.href);
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
