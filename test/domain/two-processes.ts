/** Concurrent calls through two processes that share a store: each has a connection of its own. */
import { sql } from 'drizzle-orm';
import type { OpenDatabase, Transaction } from '#db/database.ts';
import { openDatabase } from '#db/open-database.ts';
import type { TestCtx } from '#test/harness/ctx.ts';
import type { TestStore } from '#test/harness/stores.ts';
import { useStarted } from '#test/harness/use-started.ts';

/** Starts `times` calls at once, alternating between the two processes. */
export type Race = <T>(
  ctx: TestCtx,
  times: number,
  call: (ctx: TestCtx, index: number) => Promise<T>,
) => Promise<T>[];

/** The store as another process has it. */
export function useOtherProcess(store: TestStore): OpenDatabase {
  return useStarted(
    () => openDatabase(store.setting),
    (db) => db.close(),
  );
}

export function openTwoProcesses(store: TestStore): Race {
  const second = useOtherProcess(store);
  return (ctx, times, call) =>
    Array.from({ length: times }, (_, i) => call(i % 2 === 0 ? ctx : { ...ctx, db: second }, i));
}

/** Whether another transaction waits for this one. On SQLite all others do. */
export async function isWaitedFor(tx: Transaction): Promise<boolean> {
  if (tx.dialect === 'sqlite') return true;
  const waiting = sql`select pid from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`;
  return (await tx.query.execute(waiting)).length > 0;
}
