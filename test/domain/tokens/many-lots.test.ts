/** No number of lots or entries makes a statement too large for the store. */
import { expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { withTransaction } from '#domain/context.ts';
import { openLedger, saveLedger } from '#domain/tokens/ledger-store.ts';
import { readBalances } from '#domain/tokens/read-balances.ts';
import { settleExpiries } from '#domain/tokens/settle-expiries.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';

/** With six columns per row, one statement for all would exceed Postgres's limit of 65,535 parameters. */
const lotCount = 12_000;
const hourMs = 60 * 60 * 1_000;

forEachStore((store) => {
  test(`${lotCount} lots can be granted, read and expired together`, async () => {
    const ctx = createTestCtx(store.db);
    const { id: agentId } = await createTestAgent(ctx);
    const expiresAt = new Date(ctx.clock.now().getTime() + hourMs);
    const balance = async () => (await readBalances(ctx.db, [agentId], ctx.clock.now())).get(agentId);
    await withTransaction(ctx, async (inner) => {
      const ledger = await openLedger(inner, { agentIds: [agentId] });
      for (let lot = 0; lot < lotCount; lot += 1) {
        ledger.grant({ agentId, amount: 2, reason: 'for a test', reference: null, expiresAt });
      }
      await saveLedger(inner, ledger);
    });
    expect(await balance()).toMatchObject({
      balance: 2 * lotCount,
      nextExpiry: { amount: 2 * lotCount, at: expiresAt },
    });
    ctx.clock.advance(hourMs);
    expect(await balance()).toMatchObject({ balance: 0, nextExpiry: null });
    while ((await settleExpiries(ctx)) > 0);
    const { tokenEntries } = ctx.db.tables;
    const entries = await ctx.db.query
      .select({ sequence: tokenEntries.sequence })
      .from(tokenEntries)
      .where(eq(tokenEntries.agentId, agentId));
    expect(entries).toHaveLength(2 * lotCount);
    expect(await balance()).toMatchObject({ balance: 0, nextExpiry: null });
  });
});
