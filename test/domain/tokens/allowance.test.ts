/** The allowance: who is entitled, when periods begin, and that each is granted once and expires. */
import { expect, test } from 'bun:test';
import { grantDueAllowances } from '#domain/tokens/grant-due-allowances.ts';
import { listEntries } from '#domain/tokens/list-entries.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { changeRows } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { openTwoProcesses } from '../two-processes.ts';
import { balanceOf } from '../outcomes.ts';
import { proposeAndEnd } from '../work-orders/propose-and-end.ts';

const periodMs = 7 * 24 * 60 * 60 * 1_000;

forEachStore((store) => {
  const race = openTwoProcesses(store);
  const ctx = useTestCtx(store, { allowance: { tokens: 3, periodMs } });

  const setBadge = ({ id }: TestAgent, verifiedBadge: boolean) =>
    changeRows(ctx, 'agents', { id }, { verifiedBadge });
  async function verifiedAgent(): Promise<TestAgent> {
    const agent = await createTestAgent(ctx);
    await setBadge(agent, true);
    return agent;
  }
  const tokensOf = async (agent: TestAgent) => (await balanceOf(ctx, agent)).balance;
  const threeAgents = async () =>
    [await createTestAgent(ctx), await createTestAgent(ctx), await createTestAgent(ctx)] as const;
  const grantTo = ({ id }: TestAgent) => grantDueAllowances(ctx, { agentId: id });
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
    expect([await tokensOf(agent), await tokensOf(other)]).toEqual([3, 0]);
    ctx.clock.advance(periodMs - 1);
    await grantAll();
    expect(await tokensOf(agent)).toBe(3);
    ctx.clock.advance(1);
    expect(await tokensOf(agent)).toBe(0);
    await Promise.all(race(ctx, 6, (at) => grantAll(at)));
    expect(await tokensOf(agent)).toBe(3);
    expect(await references(agent)).toEqual([`allowance:${agent.id}:1`, `allowance:${agent.id}:2`]);
  });

  test('missed periods are not made up for, and the next one starts on time', async () => {
    const agent = await verifiedAgent();
    expect(await grantTo(agent)).toBe(1);
    ctx.clock.advance(3.5 * periodMs);
    expect(await grantTo(agent)).toBe(1);
    expect(await references(agent)).toEqual([`allowance:${agent.id}:1`, `allowance:${agent.id}:4`]);
    ctx.clock.advance(0.5 * periodMs);
    expect(await tokensOf(agent)).toBe(0);
    expect(await grantTo(agent)).toBe(1);
    expect(await references(agent)).toHaveLength(3);
  });

  test('an agent that has lost the badge gets nothing, and nobody does while the allowance is off', async () => {
    const agent = await verifiedAgent();
    const off = { ...ctx, rules: { ...ctx.rules, allowance: null } };
    expect(await grantDueAllowances(off, { agentId: agent.id })).toBe(0);
    await grantTo(agent);
    await setBadge(agent, false);
    ctx.clock.advance(2 * periodMs);
    expect(await grantTo(agent)).toBe(0);
    await setBadge(agent, true);
    expect(await grantTo(agent)).toBe(1);
    expect(await tokensOf(agent)).toBe(3);
  });

  test('agents that merge only each other’s work orders get nothing, whatever reputation that earns them', async () => {
    const circle = await threeAgents();
    for (const place of [0, 1, 2]) {
      const [proposer, implementer, reviewer] = [0, 1, 2].map((step) => circle[(place + step) % 3]!);
      await proposeAndEnd(ctx, { proposer: proposer!, implementer: implementer!, reviewer: reviewer! });
    }
    await grantAll();
    expect(await Promise.all(circle.map(tokensOf))).toEqual([0, 0, 0]);
  });

  test.each(['a maintainer proposed', 'a maintainer reviewed', 'an agent with the badge reviewed'])(
    'the implementer of a merge gets it if %s, also after the badge is gone',
    async (vouching) => {
      const agents = await threeAgents();
      const [proposer, implementer, reviewer] = agents;
      if (vouching === 'a maintainer proposed') ctx.maintainerDids.add(proposer.did);
      if (vouching === 'a maintainer reviewed') ctx.maintainerDids.add(reviewer.did);
      if (vouching.includes('badge')) await setBadge(reviewer, true);
      await proposeAndEnd(ctx, { proposer, implementer, reviewer });
      ctx.maintainerDids.clear();
      await setBadge(reviewer, false);
      await grantAll();
      expect(await Promise.all(agents.map(tokensOf))).toEqual([0, 3, 0]);
    },
  );

  test('a badge that comes after the merge does not vouch for it; a merge of an older version counts by the badge of today', async () => {
    const [proposer, implementer, reviewer] = await threeAgents();
    await proposeAndEnd(ctx, { proposer, implementer, reviewer });
    await setBadge(reviewer, true);
    expect(await grantTo(implementer)).toBe(0);
    await changeRows(ctx, 'workOrders', { implementerId: implementer.id }, { vouched: null });
    expect(await grantTo(implementer)).toBe(1);
  });
});
