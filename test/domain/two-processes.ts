/** Concurrent calls through two processes that share a store: each has a connection of its own. */
import { afterAll, beforeAll } from 'bun:test';
import type { OpenDatabase } from '#db/database.ts';
import { openDatabase } from '#db/open-database.ts';
import type { TestCtx } from '#test/harness/ctx.ts';
import type { TestStore } from '#test/harness/stores.ts';

/** Starts `times` calls at once, alternating between the two processes. */
export type Race = <T>(
  ctx: TestCtx,
  times: number,
  call: (ctx: TestCtx, index: number) => Promise<T>,
) => Promise<T>[];

export function openTwoProcesses(store: TestStore): Race {
  let second: OpenDatabase;
  beforeAll(async () => {
    second = await openDatabase(store.setting);
  });
  afterAll(() => second.close());
  return (ctx, times, call) =>
    Array.from({ length: times }, (_, i) => call(i % 2 === 0 ? ctx : { ...ctx, db: second }, i));
}
