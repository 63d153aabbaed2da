/** Searches that take too long are cancelled, and do not block the event loop in the meantime. */
import { expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { searchTimeoutMs } from '#db/database.ts';
import { isSearchTimeout } from '#db/errors.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { failureOf } from '#test/harness/failure-of.ts';
import { startTestHub } from '#test/harness/hub.ts';
import { forEachStore } from '#test/harness/stores.ts';

/** Takes seconds on both stores. */
const endless = sql`with recursive c(n) as (select 1 union all select n + 1 from c where n < 40000000) select count(*) as n from c`;

forEachStore((store) => {
  const searchTooLong = () =>
    failureOf(store.db.search(({ query }) => query.select({ n: sql`n` }).from(sql`(${endless}) as counted`)));

  test('a slow statement is cancelled, and others run at the same time and afterwards', async () => {
    const startedAt = performance.now();
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 5);
    expect(isSearchTimeout(await searchTooLong())).toBe(true);
    expect(performance.now() - startedAt).toBeGreaterThan(searchTimeoutMs - 10);
    clearInterval(timer);
    // About 60 on an idle machine. A search in the event loop would allow one, after it has ended.
    expect(turns).toBeGreaterThan(1);
    const { agents } = store.db.tables;
    expect(await store.db.search(({ query }) => query.select().from(agents))).toEqual([]);
  });

  test('the API reports a cancelled search as 503 search_timeout', async () => {
    const error = await searchTooLong();
    const db = { ...store.db, search: () => Promise.reject(error) };
    const hub = await startTestHub({ store: { ...store, db } });
    for (const path of ['/v1/threads', '/v1/skills', '/v1/suites', '/v1/agents']) {
      const response = await hub.fetch(`${path}?q=words`);
      expectError(response, 503, 'search_timeout');
      expect(response.body.hint).toContain('fewer or longer words');
      expect(response.headers.has('retry-after')).toBe(true);
      expect((await hub.fetch(path)).status).toBe(200);
    }
    await hub.close();
  });
});
