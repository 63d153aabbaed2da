/** The list of agents: its order, and pages that skip nobody. Profile updates, and which sites are allowed. */
import { expect, test } from 'bun:test';
import { inArray, sql } from 'drizzle-orm';
import { findMaintainers } from '#domain/agents/maintainers.ts';
import { type AgentOrder, listAgents } from '#domain/agents/list-agents.ts';
import { registerAgent } from '#domain/agents/register-agent.ts';
import { showAgent } from '#domain/agents/show-agent.ts';
import { type Ctx } from '#domain/context.ts';
import { plansOf } from '#test/harness/query-plans.ts';
import { rowsOf } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { useFreshCtx } from '#test/harness/use-agent-ctx.ts';
import { codeOf, allPages } from '../outcomes.ts';
import { newKey, registration, signUp } from './sign-up.ts';
import { checkSite, updateProfile } from '#domain/agents/update-profile.ts';
import { newAgentRow } from '#test/harness/agents.ts';

/**
 * 250 agents, many with equal reputation, with handles that a locale would sort differently than code points.
 */
const crowd = Array.from({ length: 250 }, (_, i) => ({
  handle: `${['a-', 'a', '-a', 'z9', '0z'][i % 5]}${String((i * 89) % 250).padStart(3, '0')}`,
  reputationTotal: (i * 7) % 4 === 0 ? 0 : ((i * 13) % 9) * 10,
}));

async function insertCrowd(ctx: Ctx): Promise<void> {
  const now = ctx.clock.now();
  const rows = crowd.map((one) => ({ ...newAgentRow(now), ...one }));
  await ctx.db.transaction((tx) => tx.query.insert(tx.tables.agents).values(rows));
}

async function pages(ctx: Ctx, limit: number, order?: AgentOrder): Promise<string[][]> {
  const found = await allPages((cursor) => listAgents(ctx, { limit, cursor, order }));
  return found.map((page) => page.map(({ handle }) => handle));
}

forEachStore((store) => {
  const ctx = useFreshCtx(store);

  test('pages of every size return 250 agents once each, by reputation and then by handle', async () => {
    await insertCrowd(ctx);
    const expected = crowd
      .toSorted((a, b) => b.reputationTotal - a.reputationTotal || (a.handle < b.handle ? -1 : 1))
      .map(({ handle }) => handle);
    for (const limit of [1, 7, 50, 99, 100]) {
      const got = await pages(ctx, limit);
      expect(got.flat()).toEqual(expected);
      expect(got).toHaveLength(Math.ceil(250 / limit));
    }
  });

  test('an agent added between two pages does not affect the others', async () => {
    const before = (await pages(ctx, 100)).flat();
    const first = await listAgents(ctx, { limit: 100, cursor: null });
    await signUp(ctx, '---');
    const second = await listAgents(ctx, { limit: 100, cursor: first.nextCursor });
    const third = await listAgents(ctx, { limit: 100, cursor: second.nextCursor });
    const seen = [first, second, third].flatMap((page) => page.items.map(({ handle }) => handle));
    expect(seen.filter((handle) => handle !== '---')).toEqual(before);
  });

  test('a handle with an unverified registration is neither listed nor shown', async () => {
    await registerAgent(ctx, registration('not-yet', newKey()));
    expect((await pages(ctx, 100)).flat()).not.toContain('not-yet');
    expect(await codeOf(showAgent(ctx, { handle: 'not-yet' }))).toBe('unknown_handle');
  });

  test('the newest come first, all of them or those with the badge', async () => {
    const { agents } = ctx.db.tables;
    const byAge = (await rowsOf(ctx, 'agents', { closedAt: null })).toReversed().map(({ handle }) => handle);
    expect((await pages(ctx, 100, 'newest')).flat()).toEqual(byAge);
    const verified = [byAge[3]!, byAge[9]!];
    await ctx.db.transaction(async (tx) => {
      await tx.query.update(agents).set({ verifiedBadge: sql`${inArray(agents.handle, verified)}` });
    });
    expect(await pages(ctx, 1, 'verified')).toEqual(verified.map((handle) => [handle]));
    const list = { limit: 2, cursor: null, order: 'verified' } as const;
    const [plan] = await plansOf(store, () => listAgents(ctx, list));
    expect(plan).toMatch(/agents_verified/);
  });

  test('keys are looked up in their indexes, by the list and for the maintainers', async () => {
    ctx.maintainerDids.add('did of nobody');
    const list = { limit: 2, cursor: null };
    const plans = [
      ...(await plansOf(store, () => listAgents(ctx, { ...list, did: 'did of nobody' }))),
      ...(await plansOf(store, () => findMaintainers(ctx))),
      ...(await plansOf(store, () => listAgents(ctx, { ...list, key: 'key of nobody' }))),
    ];
    expect(plans.map((plan) => /agents_(did|public_key)_unique/.exec(plan)?.[1])).toEqual([
      'did',
      'did',
      'public_key',
    ]);
  });

  test('only the given fields of a profile change', async () => {
    const { agent, ctx: agentCtx } = await signUp(ctx);
    const other = await signUp(ctx);
    const withBio = { ...agent, bio: 'Reads logs.' };
    expect(await updateProfile(agentCtx, { bio: 'Reads logs.' })).toEqual(withBio);
    const withSite = { ...withBio, site: 'https://example.org' };
    expect(await updateProfile(agentCtx, { site: 'https://example.org' })).toEqual(withSite);
    expect(await updateProfile(agentCtx, {})).toEqual(withSite);
    expect(await updateProfile(agentCtx, { bio: '', site: null })).toEqual(agent);
    expect(await showAgent(ctx, { handle: agent.handle })).toEqual(agent);
    expect(await showAgent(ctx, { handle: other.agent.handle })).toEqual(other.agent);
  });

  test('a bad site changes nothing, not even the bio sent with it', async () => {
    const { agent, ctx: agentCtx } = await signUp(ctx);
    expect(await codeOf(updateProfile(agentCtx, { bio: 'New.', site: 'javascript:alert(1)' }))).toBe(
      'invalid_body',
    );
    expect(await showAgent(ctx, { handle: agent.handle })).toEqual(agent);
  });
});

const longest = `https://example.org/${'é'.repeat(180)}`;

test.each([
  'https://example.org',
  'HTTP://Example.org:8080/a?b=c#d',
  'http://localhost/',
  'https://[2001:db8::1]/x',
  'https://exämple.org/ü',
  'https://example.org/@me?mail=a@b',
  longest,
])('a site is accepted unchanged: %s', (site) => {
  expect(checkSite(site)).toBe(site);
});

test.each([
  ['one character past 200', `${longest}x`],
  ['another scheme', 'ftp://example.org'],
  ['a script', 'javascript:alert(1)//http://'],
  ['no scheme', 'example.org'],
  ['no slashes, which a parser adds', 'https:example.org'],
  ['a backslash, which a parser replaces', 'https:\\\\example.org'],
  ['no host', 'https://'],
  ['no host but a path', 'https:///path'],
  ['an impossible port', 'https://example.org:99999'],
  ['an impossible address', 'https://1.2.3.4.5'],
  ['a user name', 'https://me@example.org'],
  ['a password', 'https://me:secret@example.org'],
  ['an empty user name', 'https://@example.org'],
  ['an empty user name and password', 'https://:@example.org'],
  ['a tab, which a parser drops', 'https://exam\tple.org'],
  ['a line break, which a parser drops', 'https://example.org\n'],
  ['a blank in front', ' https://example.org'],
  ['a blank inside', 'https://example.org/a b'],
  ['NUL', 'https://example.org/\0'],
  ['a C1 control character', 'https://example.org/\u0085'],
  ['a character that reverses the writing direction', 'https://example.org/\u202Egpj.exe'],
  ['half a character', 'https://example.org/\ud800'],
  ['no text', ''],
])('a site is refused with %s', (_, site) => {
  expect(() => checkSite(site)).toThrow(
    expect.objectContaining({ code: 'invalid_body', message: expect.stringContaining('`site` must') }),
  );
});
