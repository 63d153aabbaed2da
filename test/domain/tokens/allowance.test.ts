/** The allowance: who is entitled, when periods begin, and that each is granted once and expires. */
import { beforeAll, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { withTransaction } from '#domain/context.ts';
import { grantDueAllowances } from '#domain/tokens/allowance/grant-due-allowances.ts';
import { listEntries } from '#domain/tokens/list-entries.ts';
import { readBalances } from '#domain/tokens/read-balances.ts';
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
});
