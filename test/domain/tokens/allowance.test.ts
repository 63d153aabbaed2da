/** The allowance: who is entitled, when periods begin, and that each is granted once and expires. */
import { beforeAll, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { type AgentCtx, withTransaction } from '#domain/context.ts';
import { grantDueAllowances } from '#domain/tokens/grant-due-allowances.ts';
import { listEntries } from '#domain/tokens/list-entries.ts';
import { readBalances } from '#domain/tokens/read-balances.ts';
import { proposeWorkOrder } from '#domain/work-orders/propose-work-order.ts';
import type { MoveTarget } from '#domain/work-orders/state-machine.ts';
import { transitionWorkOrder } from '#domain/work-orders/transition-work-order.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, createTestCtx, type TestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { openTwoProcesses } from '../two-processes.ts';

const periodMs = 7 * 24 * 60 * 60 * 1_000;

forEachStore((store) => {
  const race = openTwoProcesses(store);
  let ctx: TestCtx;
  beforeAll(() => {
    const made = createTestCtx(store.db);
    ctx = { ...made, rules: { ...made.rules, allowance: { tokens: 3, periodMs } } };
  });

  async function setBadge({ id }: TestAgent, verifiedBadge: boolean): Promise<void> {
    const { agents } = ctx.db.tables;
    await withTransaction(ctx, ({ db }) =>
      db.query.update(agents).set({ verifiedBadge }).where(eq(agents.id, id)),
    );
  }
  async function verifiedAgent(): Promise<TestAgent> {
    const agent = await createTestAgent(ctx);
    await setBadge(agent, true);
    return agent;
  }
  const balanceOf = async ({ id }: TestAgent) =>
    (await readBalances(ctx.db, [id], ctx.clock.now())).get(id)?.balance;
  const references = async (agent: TestAgent) => {
    const { items } = await listEntries(actingAs(ctx, agent), { limit: 100, cursor: null, kind: 'grant' });
    return items.map(({ reference }) => reference).toReversed();
  };
  const grantAll = async (at = ctx): Promise<void> => {
    while ((await grantDueAllowances(at, { agentId: null })) > 0);
  };

  test('an agent with the badge gets it once per period, and it expires with the period', async () => {
    const [agent, other] = [await verifiedAgent(), await createTestAgent(ctx)];
    await Promise.all(race(ctx, 6, (at) => grantAll(at)));
    expect([await balanceOf(agent), await balanceOf(other)]).toEqual([3, 0]);
    ctx.clock.advance(periodMs - 1);
    await grantAll();
    expect(await balanceOf(agent)).toBe(3);
    ctx.clock.advance(1);
    expect(await balanceOf(agent)).toBe(0);
    await Promise.all(race(ctx, 6, (at) => grantAll(at)));
    expect(await balanceOf(agent)).toBe(3);
    expect(await references(agent)).toEqual([`allowance:${agent.id}:1`, `allowance:${agent.id}:2`]);
  });

  test('missed periods are not made up for, and the next one starts on time', async () => {
    const agent = await verifiedAgent();
    expect(await grantDueAllowances(ctx, { agentId: agent.id })).toBe(1);
    ctx.clock.advance(3.5 * periodMs);
    expect(await grantDueAllowances(ctx, { agentId: agent.id })).toBe(1);
    expect(await references(agent)).toEqual([`allowance:${agent.id}:1`, `allowance:${agent.id}:4`]);
    ctx.clock.advance(0.5 * periodMs);
    expect(await balanceOf(agent)).toBe(0);
    expect(await grantDueAllowances(ctx, { agentId: agent.id })).toBe(1);
    expect(await references(agent)).toHaveLength(3);
  });

  test('an agent that has lost the badge gets nothing, and nobody does while the allowance is off', async () => {
    const agent = await verifiedAgent();
    const off = { ...ctx, rules: { ...ctx.rules, allowance: null } };
    expect(await grantDueAllowances(off, { agentId: agent.id })).toBe(0);
    await grantDueAllowances(ctx, { agentId: agent.id });
    await setBadge(agent, false);
    ctx.clock.advance(2 * periodMs);
    expect(await grantDueAllowances(ctx, { agentId: agent.id })).toBe(0);
    await setBadge(agent, true);
    expect(await grantDueAllowances(ctx, { agentId: agent.id })).toBe(1);
    expect(await balanceOf(agent)).toBe(3);
  });

  /** The first proposes, the second builds, and the third reviews and merges. */
  async function merge(proposer: AgentCtx, implementer: AgentCtx, reviewer: AgentCtx): Promise<void> {
    const { id: workOrderId } = await proposeWorkOrder(proposer, { title: 'x', description: 'x' });
    const named = { implementerHandle: implementer.agent.handle, reviewerHandle: reviewer.agent.handle };
    const moves: readonly (readonly [MoveTarget, AgentCtx])[] = [
      ['interrogating', proposer],
      ['triaged', proposer],
      ['building', proposer],
      ['in_review', implementer],
      ['merged', reviewer],
    ];
    for (const [to, as] of moves)
      await transitionWorkOrder({ ...ctx, agent: as.agent }, { workOrderId, to, note: null, ...named });
  }

  test('agents that merge only each other’s work orders get nothing, whatever reputation that earns them', async () => {
    const [a, b, c] = await Promise.all([1, 2, 3].map(() => createTestAgent(ctx)));
    const circle = [a!, b!, c!].map((agent) => actingAs(ctx, agent));
    for (const place of [0, 1, 2])
      await merge(circle[place]!, circle[(place + 1) % 3]!, circle[(place + 2) % 3]!);
    await grantAll();
    expect(await Promise.all([a!, b!, c!].map(balanceOf))).toEqual([0, 0, 0]);
  });

  test.each(['a maintainer proposed', 'a maintainer reviewed', 'an agent with the badge reviewed'])(
    'the implementer of a merge gets it if %s, also after the badge is gone',
    async (vouching) => {
      const [proposer, implementer, reviewer] = await Promise.all([1, 2, 3].map(() => createTestAgent(ctx)));
      if (vouching === 'a maintainer proposed') ctx.maintainerDids.add(proposer!.did);
      if (vouching === 'a maintainer reviewed') ctx.maintainerDids.add(reviewer!.did);
      if (vouching.includes('badge')) await setBadge(reviewer!, true);
      const [first, second, third] = [proposer!, implementer!, reviewer!].map((agent) =>
        actingAs(ctx, agent),
      );
      await merge(first!, second!, third!);
      ctx.maintainerDids.clear();
      await setBadge(reviewer!, false);
      await grantAll();
      expect(await Promise.all([proposer!, implementer!, reviewer!].map(balanceOf))).toEqual([0, 3, 0]);
    },
  );

  test('a badge that comes after the merge does not vouch for it; a merge of an older version counts by the badge of today', async () => {
    const [proposer, implementer, reviewer] = await Promise.all([1, 2, 3].map(() => createTestAgent(ctx)));
    const [first, second, third] = [proposer!, implementer!, reviewer!].map((agent) => actingAs(ctx, agent));
    await merge(first!, second!, third!);
    await setBadge(reviewer!, true);
    expect(await grantDueAllowances(ctx, { agentId: implementer!.id })).toBe(0);
    const { workOrders } = ctx.db.tables;
    const isIts = eq(workOrders.implementerId, implementer!.id);
    await withTransaction(ctx, ({ db }) => db.query.update(workOrders).set({ vouched: null }).where(isIts));
    expect(await grantDueAllowances(ctx, { agentId: implementer!.id })).toBe(1);
  });
});
