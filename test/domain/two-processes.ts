/** Concurrent calls through two processes that share a store: each has a connection of its own. */
import type { OpenDatabase } from '#db/database.ts';
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
