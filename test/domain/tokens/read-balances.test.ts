/** Balances of many agents: expiries, tokens held by open eval runs, the free run, and the next expiry. */
import { expect, test } from 'bun:test';
import { readBalances } from '#domain/tokens/read-balances.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { redeem } from '#test/harness/eval-runs.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { findActingAgentsWithBalances, hashBearerToken } from '#domain/agents/token-bearers.ts';
import { startAgentRun } from '#test/harness/agent-runs.ts';
import { changeRows, rowsOf } from '#test/harness/rows.ts';
import { settleExpiries } from '#domain/tokens/settle-expiries.ts';
import { grantLots, inLedger } from './moves.ts';
import { balanceOf } from '../outcomes.ts';

const hourMs = 60 * 60 * 1_000;
const target = 'https://agent.example/';
/** With six columns per row, one statement for all would exceed Postgres's limit of 65,535 parameters. */
const lotCount = 12_000;

forEachStore((store) => {
  const ctx = useTestCtx(store);
  const inHours = (hours: number) => new Date(ctx.clock.now().getTime() + hours * hourMs);

  /** Balances that come with the look-up of a bearer token are those of `readBalances`, or left to it. */
  async function found({ bearerToken }: TestAgent) {
    const hash = hashBearerToken(bearerToken);
    return (await findActingAgentsWithBalances(store.db, [hash])).get(hash)?.balance;
  }

  test('a new agent has nothing but its free runs', async () => {
    const agent = await createTestAgent(ctx);
    expect(await found(agent)).toEqual(await balanceOf(ctx, agent));
    expect(await balanceOf(ctx, agent)).toEqual({
      agentId: agent.id,
      balance: 0,
      held: 0,
      freeEvalAvailable: true,
      freeAgentRunAvailable: true,
      freeSuiteRunAvailable: true,
      nextExpiry: null,
    });
  });

  test('open runs hold their tokens, which are deducted; free runs and ended ones hold none', async () => {
    const agent = await createTestAgent(ctx, { tokens: 5 });
    const { id } = agent;
    /** Without expiries, the balance also comes with the token. */
    const balance = async () => {
      const known = await balanceOf(ctx, agent);
      expect(await found(agent)).toEqual(known);
      return known;
    };
    expect(await balance()).toMatchObject({ balance: 5, held: 0, freeEvalAvailable: true });
    const free = await redeem(ctx, id, target);
    await startAgentRun(actingAs(ctx, agent));
    const taken = { freeEvalAvailable: false, freeAgentRunAvailable: false };
    expect(await balance()).toMatchObject({ balance: 5, held: 0, ...taken });
    const paid: string[] = [];
    for (let run = 0; run < 3; run += 1) paid.push((await redeem(ctx, id, target)).evalRun.id);
    expect(await balance()).toMatchObject({ balance: 2, held: 3 });
    await changeRows(ctx, 'runs', { id: free.evalRun.id }, { status: 'running' });
    for (const [place, status] of (['running', 'completed', 'failed'] as const).entries())
      await changeRows(ctx, 'runs', { id: paid[place]! }, { status });
    expect(await balance()).toMatchObject({ balance: 2, held: 1 });
  });

  test('many agents are read at once, with the same result as one by one; unknown and repeated ids are harmless', async () => {
    const ids: string[] = [];
    for (let agent = 0; agent < 70; agent += 1) {
      const { id } = await createTestAgent(ctx, { tokens: agent + 1 });
      if (agent % 3 === 0) await grantLots(ctx, id, [[agent + 1, inHours(agent + 1)]]);
      ids.push(id);
    }
    const unknown = Bun.randomUUIDv7();
    const all = await readBalances(store.db, [...ids, unknown, ids[0]!], ctx.clock.now());
    expect(all.size).toBe(70);
    expect(all.has(unknown)).toBe(false);
    for (const id of ids) expect(all.get(id)).toEqual(await balanceOf(ctx, { id }));
    expect(all.get(ids[3]!)).toMatchObject({ balance: 8, nextExpiry: { amount: 4, at: inHours(4) } });
    expect(await readBalances(store.db, [], ctx.clock.now())).toEqual(new Map());
  });

  test('a balance near the largest safe integer is exact', async () => {
    const { id } = await createTestAgent(ctx);
    const [half, at] = [2 ** 52, inHours(1)];
    await grantLots(
      ctx,
      id,
      [half, half - 1].map((amount) => [amount, at]),
    );
    const amount = 2 ** 53 - 1;
    expect(await balanceOf(ctx, { id })).toMatchObject({ balance: amount, nextExpiry: { amount, at } });
  });

  test('while tokens expire, the balance must be read on its own', async () => {
    const agent = await createTestAgent(ctx, { tokens: 2 });
    await grantLots(ctx, agent.id, [[4, inHours(1)]]);
    expect(await found(agent)).toBeNull();
    // The tokens have expired, but their expiry is not settled yet.
    ctx.clock.advance(2 * hourMs);
    expect(await found(agent)).toBeNull();
    expect(await balanceOf(ctx, agent)).toMatchObject({ balance: 2 });
    // Opening a ledger settles expiries.
    await inLedger(ctx, { agentIds: [agent.id] }, () => {});
    expect(await found(agent)).toEqual(await balanceOf(ctx, agent));
    expect(await found(agent)).toMatchObject({ balance: 2 });
  });

  test(`${lotCount} lots can be granted, read and expired together`, async () => {
    const { id: agentId } = await createTestAgent(ctx);
    const expiresAt = inHours(1);
    const balance = () => balanceOf(ctx, { id: agentId });
    const lots = Array.from({ length: lotCount }, () => [2, expiresAt] as const);
    await grantLots(ctx, agentId, lots);
    expect(await balance()).toMatchObject({
      balance: 2 * lotCount,
      nextExpiry: { amount: 2 * lotCount, at: expiresAt },
    });
    ctx.clock.advance(hourMs);
    expect(await balance()).toMatchObject({ balance: 0, nextExpiry: null });
    while ((await settleExpiries(ctx)) > 0);
    expect(await rowsOf(ctx, 'tokenEntries', { agentId })).toHaveLength(2 * lotCount);
    expect(await balance()).toMatchObject({ balance: 0, nextExpiry: null });
  });
});
