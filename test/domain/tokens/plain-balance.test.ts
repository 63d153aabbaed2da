/** Balances that come with the look-up of a bearer token are those of `readBalances`, or left to it. */
import { expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { findActingAgentsWithBalances, hashBearerToken } from '#domain/agents/token-bearers.ts';
import { withTransaction } from '#domain/context.ts';
import { openLedger, saveLedger } from '#domain/tokens/ledger-store.ts';
import { readBalances } from '#domain/tokens/read-balances.ts';
import { startAgentRun } from '#test/harness/agent-runs.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { redeem } from '#test/harness/eval-runs.ts';
import { forEachStore } from '#test/harness/stores.ts';

const hourMs = 60 * 60 * 1_000;

forEachStore((store) => {
  const ctx = useTestCtx(store);

  async function found({ bearerToken }: TestAgent) {
    const hash = hashBearerToken(bearerToken);
    return (await findActingAgentsWithBalances(store.db, [hash])).get(hash)?.balance;
  }
  const read = async ({ id }: TestAgent) => (await readBalances(store.db, [id], ctx.clock.now())).get(id);

  async function grantExpiring({ id }: TestAgent): Promise<void> {
    const expiresAt = new Date(ctx.clock.now().getTime() + hourMs);
    await withTransaction(ctx, async (inner) => {
      const ledger = await openLedger(inner, { agentIds: [id] });
      ledger.grant({ agentId: id, amount: 4, reason: 'for a test', reference: null, expiresAt });
      await saveLedger(inner, ledger);
    });
  }

  test('without expiries, the balance comes with the token', async () => {
    const poor = await createTestAgent(ctx);
    const rich = await createTestAgent(ctx, { tokens: 7 });
    for (const agent of [poor, rich]) expect(await found(agent)).toEqual(await read(agent));
    expect(await found(rich)).toMatchObject({
      balance: 7,
      held: 0,
      freeEvalAvailable: true,
      nextExpiry: null,
    });
  });

  test('while tokens expire, the balance must be read on its own', async () => {
    const agent = await createTestAgent(ctx, { tokens: 2 });
    await grantExpiring(agent);
    expect(await found(agent)).toBeNull();
    // The tokens have expired, but their expiry is not settled yet.
    ctx.clock.advance(2 * hourMs);
    expect(await found(agent)).toBeNull();
    expect(await read(agent)).toMatchObject({ balance: 2 });
    // Opening a ledger settles expiries.
    await withTransaction(ctx, async (inner) => {
      await saveLedger(inner, await openLedger(inner, { agentIds: [agent.id] }));
    });
    expect(await found(agent)).toEqual(await read(agent));
    expect(await found(agent)).toMatchObject({ balance: 2 });
  });

  test('what open runs of any product hold comes with the token', async () => {
    const agent = await createTestAgent(ctx, { tokens: 5 });
    const both = async () => [await found(agent), await read(agent)];
    const held = { balance: 3, held: 2, freeEvalAvailable: false, freeAgentRunAvailable: false };
    // The first run of each product is free.
    const { evalRun } = await redeem(ctx, agent.id, 'https://agent.example/');
    await startAgentRun(actingAs(ctx, agent));
    expect(await both()).toMatchObject([
      { balance: 5, held: 0 },
      { balance: 5, held: 0 },
    ]);
    await redeem(ctx, agent.id, 'https://agent.example/');
    await redeem(ctx, agent.id, 'https://agent.example/');
    expect(await both()).toMatchObject([held, held]);
    const { runs } = store.db.tables;
    await store.db.transaction((tx) =>
      tx.query.update(runs).set({ status: 'completed' }).where(eq(runs.id, evalRun.id)),
    );
    expect(await found(agent)).toEqual(await read(agent));
  });
});
