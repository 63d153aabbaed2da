/** What an agent and a network may store within a day, whatever verb stores it. */
import { beforeEach, expect, test } from 'bun:test';
import { statementsOnSqlite } from '#test/harness/count-statements.ts';
import { updateProfile } from '#domain/agents/update-profile.ts';
import { type AgentCtx, type Ctx, withTransaction } from '#domain/context.ts';
import { deleteThread } from '#domain/forum/delete-thread.ts';
import { postReply, startThread } from '#domain/forum/start-thread.ts';
import { redeem } from '#domain/runs/redeem.ts';
import { publishSkill } from '#domain/skills/publish-skill.ts';
import { countStoredAnyway, findStorageRefusals, pruneStoredBytes } from '#domain/storage/count-stored.ts';
import { sendContactMessage } from '#domain/contact/send-contact-message.ts';
import { commentOnWorkOrder } from '#domain/work-orders/comment-on-work-order.ts';
import { proposeWorkOrder } from '#domain/work-orders/propose-work-order.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestCtx, useTestCtx } from '#test/harness/ctx.ts';
import { changeRows, rowsOf } from '#test/harness/rows.ts';
import { testSecretKey } from '#test/harness/secret-key.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { publishTestSuite } from '#test/harness/suites.ts';
import { domainErrorOf, tally } from '../outcomes.ts';
import { openTwoProcesses } from '../two-processes.ts';

const mebibyte = 1024 * 1024;
const dayMs = 24 * 60 * 60 * 1_000;
const bounded = { storage: { agentMbPerDay: 1, networkMbPerDay: 3 } };
const open = { storage: { agentMbPerDay: 0, networkMbPerDay: 0 } };
/** 32 kB in UTF-8. */
const longBody = '\u{1f642}'.repeat(8_000);

forEachStore((store) => {
  const race = openTwoProcesses(store);
  const ctx = useTestCtx(store, bounded);
  beforeEach(() => ctx.clock.advance(dayMs));

  async function newAgent(network: string | null = null): Promise<AgentCtx> {
    const agent = await createTestAgent(ctx);
    await changeRows(ctx, 'agents', { id: agent.id }, { network });
    return { ...ctx, agent: { ...agent, network } };
  }

  async function bytesOf(holder: string): Promise<number> {
    return (await rowsOf(ctx, 'storedBytes', { holder })).at(-1)?.bytes ?? 0;
  }

  /** @returns how often the verb succeeded until it was refused */
  async function untilRefused(store: (round: number) => Promise<unknown>): Promise<number> {
    for (let round = 0; round < 3_000; round += 1) {
      try {
        await store(round);
      } catch {
        expect(await domainErrorOf(store(round))).toMatchObject({ code: 'rate_limited' });
        return round;
      }
    }
    throw new Error('It was never refused.');
  }

  const verbs: Readonly<Record<string, (as: AgentCtx) => (round: number) => Promise<unknown>>> = {
    threads: (as) => (round) => startThread(as, { title: `Thread ${round}`, body: longBody }),
    suites: (as) => (round) =>
      publishTestSuite(as, {
        suite: 1,
        name: `suite-${round}`,
        title: 'Suite',
        cases: Array.from({ length: 20 }, (_, index) => ({
          id: `case-${index}`,
          prompt: `${round} ${'x'.repeat(2_000)}`,
          expect: [{ equals: 'a' }],
        })),
      }),
    skills: (as) => (round) =>
      publishSkill(as, {
        name: `${as.agent.handle} ${round}`,
        description: longBody.slice(0, 1_000),
        repoUrl: 'https://git.example/a',
        manifestUrl: null,
      }),
    profiles: (as) => () => updateProfile(as, { bio: longBody.slice(0, 1_000) }),
  };

  test.each(Object.keys(verbs))('%s: an agent stores at most its bound within a day', async (name) => {
    const as = await newAgent();
    const stored = await untilRefused(verbs[name]!(as));
    expect(stored).toBeGreaterThan(5);
    const bytes = await bytesOf(as.agent.id);
    expect(bytes).toBeLessThanOrEqual(mebibyte);
    expect(bytes).toBeGreaterThan(0.8 * mebibyte);
    ctx.clock.advance(dayMs);
    await verbs[name]!(as)(stored);
  });

  test('replies and comments count as well, and a refused one changes nothing', async () => {
    const as = await newAgent();
    const thread = await startThread(as, { title: 'Talk', body: 'a' });
    const order = await proposeWorkOrder(as, { title: 'Work', description: longBody });
    const replies = await untilRefused(() => postReply(as, { threadId: thread.id, body: longBody }));
    expect(await rowsOf(ctx, 'posts', { threadId: thread.id })).toHaveLength(1 + replies);
    const comment = () => commentOnWorkOrder(as, { workOrderId: order.id, body: longBody });
    await untilRefused(comment);
    const refused = await domainErrorOf(comment());
    expect(refused.message).toContain('an agent may store 1 MB a day');
    expect(refused.extras.hint).toContain('AGENT_MB_PER_DAY');
    const leftMs = dayMs - (ctx.clock.now().getTime() % dayMs);
    expect(refused.extras.retryAfterSeconds).toBe(Math.ceil(leftMs / 1_000));
    // What takes little room still works.
    await deleteThread(as, { threadId: thread.id });
  }, 60_000);

  test('the agents and visitors of a network share its bound, over two processes', async () => {
    const network = Bun.randomUUIDv7();
    const group = await Promise.all(Array.from({ length: 5 }, () => newAgent(network)));
    const start = (at: Ctx, index: number) =>
      startThread({ ...at, agent: group[index % 5]!.agent }, { title: 'Thread', body: longBody });
    // One after the other until near the bound: on SQLite, long queues for the writer end in errors on a slow machine.
    const early = 80;
    for (let index = 0; index < early; index += 1) await start(ctx, index);
    const outcomes = await tally(race(ctx, 40, start));
    expect(outcomes).toEqual({ ok: expect.any(Number), rate_limited: expect.any(Number) });
    const bytes = await bytesOf(network);
    expect(bytes).toBeLessThanOrEqual(3 * mebibyte);
    expect(bytes).toBeGreaterThan(2.9 * mebibyte);
    const kept = await Promise.all(group.map(({ agent }) => rowsOf(ctx, 'threads', { authorId: agent.id })));
    expect(kept.flat()).toHaveLength(early + outcomes['ok']!);
    const visitor: Ctx = { ...ctx, network };
    const message = { name: null, contact: 'a@b.example', message: longBody, networkHash: network };
    const refused = await domainErrorOf(sendContactMessage(visitor, message));
    expect(refused.message).toContain('the agents and visitors of one network together may store 3 MB a day');
  }, 60_000);

  test('wider networks have a higher bound, and none is held by another network', async () => {
    const wide = Bun.randomUUIDv7();
    const as = await newAgent(`${wide}/b/c`);
    await startThread(as, { title: 'Thread', body: longBody });
    const counted = await Promise.all([wide, `${wide}/b`, `${wide}/b/c`].map(bytesOf));
    expect(new Set(counted).size).toBe(1);
    expect(counted[0]).toBeGreaterThan(32_000);
    expect(await bytesOf(`${wide}/d`)).toBe(0);
  });

  test('replies of a run count for its agent, which then starts no further runs that day', async () => {
    const [as, other] = await Promise.all([newAgent(), newAgent()]);
    await withTransaction(ctx, (inner) => countStoredAnyway(inner, as.agent.id, async () => 2 * mebibyte));
    const refusals = () =>
      withTransaction(ctx, (inner) => findStorageRefusals(inner, [as.agent.id, other.agent.id]));
    expect([...(await refusals()).keys()]).toEqual([as.agent.id]);
    ctx.clock.advance(dayMs);
    expect((await refusals()).size).toBe(0);
  });

  test('orders that share a transaction count for their agents and networks', async () => {
    const network = Bun.randomUUIDv7();
    const group = await Promise.all([newAgent(network), newAgent(network)]);
    const order = { product: 'eval-run', targetUrl: null, target: null, ranked: false } as const;
    await Promise.all(group.map((as) => redeem(as, { ...order, secretKey: testSecretKey })));
    const [one = 0, other = 0] = await Promise.all(group.map(({ agent }) => bytesOf(agent.id)));
    expect(Math.min(one, other)).toBeGreaterThan(500);
    expect(await bytesOf(network)).toBe(one + other);
  });

  test('without a bound nothing is counted, and with one a transaction takes one more statement', async () => {
    const as = await newAgent();
    const costOf = async (rules: typeof bounded): Promise<number> => {
      const before = statementsOnSqlite();
      await startThread(
        { ...createTestCtx(store.db, undefined, rules), agent: as.agent },
        {
          title: 'Thread',
          body: 'a',
        },
      );
      return statementsOnSqlite() - before;
    };
    const without = await costOf(open);
    expect(await bytesOf(as.agent.id)).toBe(0);
    const within = await costOf(bounded);
    if (store.dialect === 'sqlite') expect(within).toBe(without + 1);
    expect(await bytesOf(as.agent.id)).toBeGreaterThan(200);
  });

  test('the counts of past days are deleted', async () => {
    const as = await newAgent();
    await startThread(as, { title: 'Thread', body: 'a' });
    ctx.clock.advance(dayMs);
    await pruneStoredBytes(ctx);
    expect(await bytesOf(as.agent.id)).toBeGreaterThan(0);
    ctx.clock.advance(2 * dayMs);
    while ((await pruneStoredBytes(ctx)) > 0);
    expect(await bytesOf(as.agent.id)).toBe(0);
  });
});
