/** Public pages are cached until the store changes. Visitors must not notice, except by the response time. */
import { statementsOnSqlite } from '#test/harness/count-statements.ts';
import { describe, expect, test } from 'bun:test';
import { createCachedPages } from '#api/site/cached-pages.ts';
import { rendered } from '#api/site/html-response.ts';
import { openDatabase } from '#db/open-database.ts';
import { readVersion } from '#db/read-version.ts';
import { startThread } from '#domain/forum/start-thread.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestClock } from '#test/harness/clock.ts';
import { createTestEvent, hourMs } from '#test/harness/events.ts';
import { useTestHub } from '#test/harness/hub.ts';
import { forEachStore, openScratchStore } from '#test/harness/stores.ts';
import { signInByForm } from './tour/sign-in.ts';

const readerOf = (network: string) => () => ({ network, agentId: network });
const anybody = readerOf('anybody');

async function pageMadeIn(ms: number, text: unknown) {
  await Bun.sleep(ms);
  return { content: rendered(String(text)), isPrivate: false };
}

forEachStore((store) => {
  const hub = useTestHub({ store });

  const open = async (path: string, cookie?: string) => {
    const headers = { accept: 'text/html', ...(cookie === undefined ? {} : { cookie }) };
    const response = await fetch(hub.url + path, { headers });
    return { status: response.status, html: await response.text() };
  };
  const title = (n: number) => `Event number ${n}.`;

  describe('a cached page', () => {
    test('shows each commit of this and any other process immediately, even with many readers', async () => {
      const other = await openDatabase(store.setting);
      const host = await createTestAgent(hub.ctx);
      const ending = new AbortController();
      const readers = Array.from({ length: 4 }, async () => {
        while (!ending.signal.aborted) await open('/events');
      });
      const missed: number[] = [];
      for (let n = 1; n <= 20; n += 1) {
        const startsAt = new Date(hub.clock.now().getTime() + n * hourMs);
        const db = n % 2 === 0 ? other : store.db;
        await createTestEvent({ ...hub.ctx, db }, { title: title(n), hostAgentId: host.id, startsAt });
        if (!(await open('/events')).html.includes(title(n))) missed.push(n);
      }
      ending.abort();
      await Promise.all(readers);
      await other.close();
      expect(missed).toEqual([]);
    });

    test('is at most a second behind the clock', async () => {
      expect((await open('/events')).html).toContain(title(1));
      hub.clock.advance(3 * hourMs);
      const { html } = await open('/events');
      expect([html.includes(title(1)), html.includes(title(20))]).toEqual([false, true]);
    });

    test('is shown only without a session, and without the outcome of a form', async () => {
      const cookie = await signInByForm(hub, await createTestAgent(hub.ctx, { handle: 'grace' }));
      await open('/forum');
      expect((await open('/forum', cookie)).html).toContain('grace');
      expect((await open('/forum?done=report')).html).toContain('Thank you');
      const { html } = await open('/forum');
      expect([html.includes('grace'), html.includes('Thank you')]).toEqual([false, false]);
      expect((await open('/events?when=past')).html).not.toBe((await open('/events')).html);
    });

    if (store.dialect === 'sqlite')
      test('takes one statement until the store changes', async () => {
        const statementsOf = async (path: string) => {
          const before = statementsOnSqlite();
          await open(path);
          return statementsOnSqlite() - before;
        };
        await open('/');
        expect(await statementsOf('/')).toBe(1);
        await open('/?done=report');
        expect(await statementsOf('/?done=report')).toBe(1);
        await createTestEvent(hub.ctx);
        expect(await statementsOf('/')).toBeGreaterThan(5);
      });
  });

  test('visitors with sessions share what the home page shows to everybody, but not what they have read', async () => {
    const [reader, writer] = [await createTestAgent(hub.ctx), await createTestAgent(hub.ctx)];
    const [unread, written] = [await signInByForm(hub, reader), await signInByForm(hub, writer)];
    await open('/', unread);
    await startThread(actingAs(hub.ctx, writer), { title: 'A thread for all', body: 'Hello.' });
    const marked = await open('/', unread);
    expect(marked.html).toContain('<b>A thread for all</b>');
    const { html } = await open('/', written);
    expect([html.includes('A thread for all'), html.includes('<b>A thread for all</b>')]).toEqual([
      true,
      false,
    ]);
    if (store.dialect === 'postgres') return;
    const statementsOf = async (path: string) => {
      await open(path, written);
      const before = statementsOnSqlite();
      await open(path, unread);
      return statementsOnSqlite() - before;
    };
    // For the session, the version of the store, and what was read and written.
    expect(await statementsOf('/')).toBe(4);
    expect(await statementsOf('/leaderboard')).toBe(2);
  });

  test('a small response does not wait for all pages that were asked for before it', async () => {
    await open('/events');
    const ended: string[] = [];
    const pages = Array.from({ length: 60 }, () => open('/events').then(() => ended.push('page')));
    const health = fetch(`${hub.url}/v1/health`).then(() => ended.push('health'));
    await Promise.all([...pages, health]);
    expect(ended.indexOf('health')).toBeLessThan(50);
  });

  test('the version of a store changes with every commit, and on SQLite with nothing else', async () => {
    const first = await readVersion(store.db);
    // On Postgres, other tests' databases on the same server change it too.
    if (store.dialect === 'sqlite') expect(await readVersion(store.db)).toBe(first);
    await createTestAgent(hub.ctx);
    expect(await readVersion(store.db)).not.toBe(first);
  });

  test('a page rendered while the store changed is not cached', async () => {
    const pages = createCachedPages(hub.ctx);
    const pageOf = async (text: string) => ({ content: rendered(text), isPrivate: false });
    const first = pages.get(
      '/',
      async () => {
        await createTestAgent(hub.ctx);
        await pages.get('/forum', () => pageOf('forum'), anybody);
        return pageOf('before');
      },
      anybody,
    );
    await first;
    const { content } = await pages.get('/', () => pageOf('after'), anybody);
    expect(content.text).toBe('after');
  });
});

test('few pages are made at the same time, each from a turn of its own, and networks take turns', async () => {
  await using store = await openScratchStore('sqlite');
  const pages = createCachedPages({ db: store.db, clock: createTestClock() });
  let turn = 0;
  let ended = false;
  const count = (): void => {
    turn += 1;
    if (!ended) setImmediate(count);
  };
  count();
  let beingMade = 0;
  let most = 0;
  // However slow the machine is, the first pages end after as many have begun as may be made at once.
  const all = Promise.withResolvers<void>();
  const begunIn: number[] = [];
  const outcomes: string[] = [];
  const open = async (address: string | null, network: string): Promise<void> => {
    const make = async () => {
      begunIn.push(turn);
      beingMade += 1;
      most = Math.max(most, beingMade);
      if (most === 4) all.resolve();
      await all.promise;
      const page = await pageMadeIn(2, address);
      beingMade -= 1;
      return page;
    };
    const reader = readerOf(network);
    const opened = address === null ? pages.make(make, reader) : pages.get(address, make, reader);
    await opened.then(
      () => outcomes.push(network),
      (error: unknown) => outcomes.push(String((error as { readonly code?: string }).code)),
    );
  };
  const hogs = Array.from({ length: 40 }, (_, page) =>
    open(page % 2 === 0 ? null : `/forum/${page}`, 'hogs'),
  );
  await Bun.sleep(1);
  await open('/', 'honest');
  await Promise.all(hogs);
  ended = true;
  expect(most).toBe(4);
  expect(new Set(begunIn).size).toBe(begunIn.length);
  expect(outcomes.filter((one) => one === 'busy').length).toBeGreaterThan(0);
  const before = outcomes.slice(0, outcomes.indexOf('honest'));
  expect(before.filter((one) => one === 'hogs').length).toBeLessThan(9);
});

test('readers who ask for a page while it is made get the same one', async () => {
  // On Postgres, other tests would change the version of the store in the meantime.
  await using store = await openScratchStore('sqlite');
  const pages = createCachedPages({ db: store.db, clock: createTestClock() });
  let made = 0;
  const asked = Array.from({ length: 60 }, async (_, reader) => {
    const page = await pages.get('/', () => pageMadeIn(5, (made += 1)), readerOf(`network-${reader}`));
    return page.content.text;
  });
  expect(new Set(await Promise.all(asked))).toEqual(new Set(['1']));
});

test('old pages make room for new ones, and private pages are not cached', async () => {
  // On Postgres, other tests would change the version of the store in the meantime.
  await using store = await openScratchStore('sqlite');
  const pages = createCachedPages({ db: store.db, clock: createTestClock() });
  const made: string[] = [];
  const get = (address: string, characters: number, isPrivate = false) =>
    pages.get(
      address,
      async () => {
        made.push(address);
        return { content: rendered('x'.repeat(characters)), isPrivate };
      },
      anybody,
    );
  await get('small', 10);
  await get('small', 10);
  await get('secret', 10, true);
  await get('secret', 10, true);
  await get('too large', 5_000_000);
  await get('too large', 5_000_000);
  await get('large', 3_000_000);
  await get('larger', 3_100_000);
  await get('small', 10);
  await get('larger', 3_100_000);
  expect(made).toEqual(['small', 'secret', 'secret', 'too large', 'too large', 'large', 'larger', 'small']);
});

test('pages that need no store are served without one', async () => {
  const store = await openScratchStore('sqlite');
  await store.remove();
  const pages = createCachedPages({ db: store.db, clock: createTestClock() });
  const page = { content: rendered('page'), isPrivate: false };
  expect(await pages.get('/', async () => page, anybody)).toBe(page);
});
