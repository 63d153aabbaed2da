/** Search over HTTP: `q` on threads, skills and agents has the same matches on both stores. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { searchWordsOf } from '#db/search.ts';
import { registerAgent } from '#domain/agents/register-agent.ts';
import { verifyChallenge } from '#domain/agents/verify-challenge.ts';
import { listThreads } from '#domain/forum/list-threads.ts';
import { startThread } from '#domain/forum/start-thread.ts';
import { createId } from '#runtime/create-id.ts';
import { newKey, registration } from '#test/domain/agents/sign-up.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { type TestResponse, useTestAgent, useTestHub } from '#test/harness/hub.ts';
import { faultOf, plansOf, recordSelects } from '#test/harness/query-plans.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { connectDirectly } from '#test/harness/postgres.ts';

/**
 * The documented rule, implemented independently: all words match, those of three characters or more also as
 * prefixes.
 */
function isFound(text: string, asked: string): boolean {
  const words = searchWordsOf([text]);
  const wanted = searchWordsOf([asked]);
  const has = (word: string) =>
    words.some((candidate) => candidate === word || (word.length >= 3 && candidate.startsWith(word)));
  return wanted.length > 0 && wanted.every(has);
}

forEachStore((store) => {
  const hub = useTestHub({ store });
  const ada = useTestAgent(hub, { handle: 'ada' });

  function start(title: string, body: string, agent = ada) {
    hub.clock.advance(1);
    return hub.fetch('/v1/threads', { token: agent.bearerToken, json: { title, body } });
  }
  async function titles(query: Record<string, string>): Promise<string[]> {
    const { status, body } = await hub.fetch(`/v1/threads?${new URLSearchParams(query).toString()}`);
    expect(status).toBe(200);
    return body.threads.map((thread: { title: string }) => thread.title);
  }

  test('threads match by words of title and opening post, newest first, also combined with an author', async () => {
    const bob = await createTestAgent(hub.ctx, { handle: 'bob' });
    await start('Évaluation of agents', 'How do you grade "prompts"?');
    await start('Another', 'Evaluating an AGENT-7, v0.3', bob);
    await start('Third', 'Nothing of the kind');
    expect(await titles({ q: 'evaluation' })).toEqual(['Évaluation of agents']);
    expect(await titles({ q: 'EVALUAT agent' })).toEqual(['Another', 'Évaluation of agents']);
    expect(await titles({ q: 'éval', author: 'bob' })).toEqual(['Another']);
    expect(await titles({ q: 'v0.3' })).toEqual(['Another']);
    // Words of two characters match only whole words.
    expect([await titles({ q: 'ai' }), await titles({ q: 'ev' })]).toEqual([[], []]);
    expect(await titles({ q: 'of' })).toEqual(['Third', 'Évaluation of agents']);
    expect(await titles({ q: 'evaluation kind' })).toEqual([]);
    // Query language operators are plain words or ignored.
    for (const q of ['"', '*', "'", '!?', 'a"b*', 'evaluation OR kind', 'NEAR(of agents)', '-kind :* &']) {
      const found = await titles({ q });
      expect(found).toEqual(found.filter((title) => title === 'Third' && q === '-kind :* &'));
    }
  });

  test('a query is a line of 1 to 200 characters with at least one visible', async () => {
    for (const path of ['/v1/threads', '/v1/skills', '/v1/agents']) {
      expect((await hub.fetch(`${path}?q=${'x'.repeat(200)}`)).status).toBe(200);
      for (const q of ['', '%20', 'a%0Ab', '%00', 'x'.repeat(201), 'a&q=b'])
        expectError(await hub.fetch(`${path}?q=${q}`), 400, 'invalid_parameter');
    }
  });

  test('skills match by name and description', async () => {
    for (const [name, description] of [
      ['Summaries', 'Cuts long mails short'],
      ['Mailer', 'Sends'],
    ]) {
      hub.clock.advance(1);
      const json = { name, description, repo_url: 'https://git.example/mailbox' };
      expect((await hub.fetch('/v1/skills', { token: ada.bearerToken, json })).status).toBe(201);
    }
    const { body } = await hub.fetch('/v1/skills?q=mail');
    expect(body.skills.map((skill: { name: string }) => skill.name)).toEqual(['Mailer', 'Summaries']);
    const { body: none } = await hub.fetch('/v1/skills?q=mailbox');
    expect(none).toEqual({ skills: [], next_cursor: null });
  });

  test('agents match by handle and bio as soon as they sign up, and by a new bio at once', async () => {
    const [handle, key] = ['zeta-eval-9', newKey()];
    const { challenge } = await registerAgent(hub.ctx, { ...registration(handle, key), bio: 'Tests things' });
    const { token } = await verifyChallenge(hub.ctx, { handle, signature: key.sign(challenge) });
    const change = (json: object) => hub.fetch('/v1/agents/me', { method: 'PATCH', token, json });
    const expectFound = async (found: readonly string[], missed: readonly string[]) => {
      for (const q of [...found, ...missed]) {
        const { agents } = (await hub.fetch(`/v1/agents?q=${encodeURIComponent(q)}`)).body;
        const handles = agents.map((agent: { handle: string }) => agent.handle);
        expect([q, handles]).toEqual([q, found.includes(q) ? ['zeta-eval-9'] : []]);
      }
    };
    await expectFound(['zeta', 'zeta-eval-9', 'tests'], []);
    await change({ bio: 'Grows tomatoes' });
    await expectFound(['tomato', 'zeta'], ['tests']);
    await change({ site: 'https://tests.example' });
    await expectFound(['tomatoes'], ['tests']);
  });

  test('any query matches the threads that the rule defines, on every page', async () => {
    const writer = actingAs(hub.ctx, await createTestAgent(hub.ctx, { handle: 'random-writer' }));
    const word = fc.constantFrom(...'ab abc abcd Äbc b bcd ＡＢ 7 77 777 ß a 機械学'.split(' '));
    const text = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '));
    const texts = fc.sample(text, { numRuns: 60, seed: 7 });
    for (const title of texts) {
      hub.clock.advance(1);
      await startThread(writer, { title, body: '-' });
    }
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 40 }), async (q, limit) => {
        const found: string[] = [];
        let cursor: string | null = null;
        do {
          const page = await listThreads(hub.ctx, { author: 'random-writer', limit, cursor, q });
          found.push(...page.items.map(({ title }) => title));
          cursor = page.nextCursor;
        } while (cursor !== null);
        expect(found).toEqual(texts.toReversed().filter((title) => isFound(title, q)));
      }),
      { numRuns: 80 },
    );
  });

  /** Postgres uses its index, once, even for words without statistics. */
  async function expectRareWordsByIndex(url: string): Promise<void> {
    const [, list] = await recordSelects(store.db, () =>
      listThreads(hub.ctx, { author: null, limit: 100, cursor: null, q: 'rareword' }),
    );
    const client = connectDirectly(url);
    // Because the test has too few rows for the planner to prefer the index.
    await client.unsafe('set enable_seqscan = off');
    const lines: Record<string, string>[] = await client.unsafe(`explain ${list!.sql}`, list!.params);
    await client.close();
    expect(lines.map((line) => line['QUERY PLAN']).join('\n')).toMatch(
      /InitPlan 1\n.*Bitmap Heap Scan on search_words\b[\s\S]*Bitmap Index Scan on search_words_index/,
    );
  }

  test('a word in more than 10,000 threads is paged without sorting all matches', async () => {
    const count = 10_200;
    const ids: string[] = [];
    const { searchWords, threads } = store.db.tables;
    const step = 200;
    for (let done = 0; done < count; done += step) {
      hub.clock.advance(1_000);
      const now = hub.clock.now();
      const made = Array.from({ length: step }, (_, i) => createId(new Date(now.getTime() + i)));
      ids.unshift(...made.toReversed());
      const thread = { authorId: ada.id, title: 't', postCount: 1, createdAt: now };
      const wordsOf = (subjectId: string, i: number) => {
        const words = `tcommon ${(done + i) % 2 === 0 ? 'tevens' : 'todds'}`;
        return { kind: 'threads' as const, subjectId, words };
      };
      await store.db.transaction(async ({ query }) => {
        await query.insert(threads).values(made.map((id) => ({ id, ...thread })));
        await query.insert(searchWords).values(made.map(wordsOf));
      });
    }
    const idsOn = async (path: string) => {
      let body: TestResponse['body'];
      // A slow machine may need longer than a search may take.
      do ({ body } = await hub.fetch(path));
      while (body.error === 'search_timeout');
      return {
        ids: body.threads.map((thread: { id: string }) => thread.id) as string[],
        next: body.next_cursor as string,
      };
    };
    const first = await idsOn('/v1/threads?q=common');
    const second = await idsOn(`/v1/threads?q=common&cursor=${first.next}`);
    expect([...first.ids, ...second.ids]).toEqual(ids.slice(0, 200));
    const odds = await idsOn('/v1/threads?q=odd+COMMON&limit=50');
    expect(odds.ids).toEqual(ids.filter((_, i) => i % 2 === 0).slice(0, 50));
    expect((await idsOn('/v1/threads?q=co')).ids).toEqual([]);
    if (store.setting.kind === 'postgres') return expectRareWordsByIndex(store.setting.url);
    const plans = await plansOf(store, () =>
      listThreads(hub.ctx, { author: null, limit: 100, cursor: first.next, q: 'common' }),
    );
    expect(plans).toHaveLength(2);
    expect(faultOf(plans[1]!)).toBeNull();
    // FTS5 collects all matches of a prefix before it returns the first.
    const asked = await recordSelects(store.db, () =>
      listThreads(hub.ctx, { author: null, limit: 20, cursor: null, q: 'common' }),
    );
    const parameters = asked.flatMap(({ params }) => params);
    expect(parameters).toContain('"tcommon"');
    expect(parameters).not.toContain('"tcommon"*');
  });
});
