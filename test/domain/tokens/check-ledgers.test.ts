/** The sweeper's ledger check finds every lost or duplicated write, and reports nothing else. */
import { beforeEach, expect, test } from 'bun:test';
import { and, eq } from 'drizzle-orm';
import type { Transaction } from '#db/database.ts';
import { checkLedgers } from '#domain/tokens/check-ledgers.ts';
import { withTransaction } from '#domain/context.ts';
import { openLedger, saveLedger } from '#domain/tokens/ledger-store.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { createCrowd } from '#test/harness/crowd.ts';
import { createTestCtx, type TestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';

forEachStore((store) => {
  let ctx: TestCtx;
  let agentId: string;
  beforeEach(async () => {
    ctx = createTestCtx(store.db);
    await createTestAgent(ctx);
    // Ten tokens granted and two spent: two lots, one of them empty, and three entries.
    agentId = (await createTestAgent(ctx, { tokens: 2 })).id;
    await createTestAgent(ctx, { tokens: 3 });
    await withTransaction(ctx, async (inner) => {
      const ledger = await openLedger(inner, { agentIds: [agentId] });
      ledger.spend({ agentId, amount: 2, reason: 'for a test', reference: Bun.randomUUIDv7() });
      ledger.grant({ agentId, amount: 8, reason: 'for a test', reference: null, expiresAt: null });
      await saveLedger(inner, ledger);
    });
  });

  /** The mismatch reported for the agent. No other agent may be reported. */
  async function findDrift(): Promise<number | null> {
    const { mismatches } = await checkLedgers(ctx, { after: null });
    expect(mismatches.map((account) => account.agentId)).toEqual(mismatches.length === 0 ? [] : [agentId]);
    return mismatches[0]?.tokens ?? null;
  }
  /** Corrupts the agent's account, runs the check and rolls back. */
  async function driftAfter(damage: (tx: Transaction) => PromiseLike<unknown>): Promise<number | null> {
    let drift: number | null = null;
    const undone = store.db.transaction(async (tx) => {
      await damage(tx);
      const { mismatches } = await checkLedgers({ ...ctx, db: tx }, { after: null });
      expect(mismatches.map((account) => account.agentId)).toEqual(mismatches.length === 0 ? [] : [agentId]);
      drift = mismatches[0]?.tokens ?? null;
      throw new Error('roll back');
    });
    await expect(undone).rejects.toThrow('roll back');
    return drift;
  }

  test('consistent accounts are not reported, including new ones and ones with spent lots or several entries', async () => {
    expect(await findDrift()).toBeNull();
  });

  test('a balance that disagrees with lots and last entry is reported with the difference in tokens', async () => {
    for (const balance of [3, 11]) {
      const drift = await driftAfter(({ query, tables: { tokenAccounts } }) =>
        query.update(tokenAccounts).set({ balance }).where(eq(tokenAccounts.agentId, agentId)),
      );
      expect(drift).toBe(Math.abs(8 - balance));
    }
  });

  test('a duplicated or missing lot is found', async () => {
    for (const remaining of [0, 5]) {
      const drift = await driftAfter(({ query, tables: { tokenLots } }) =>
        query
          .update(tokenLots)
          .set({ remaining })
          .where(and(eq(tokenLots.agentId, agentId), eq(tokenLots.remaining, 8))),
      );
      expect(drift).toBe(8 - remaining);
    }
  });

  test('a wrong, missing or uncounted last entry is found', async () => {
    const isLast = ({ tables: { tokenEntries } }: Transaction) =>
      and(eq(tokenEntries.agentId, agentId), eq(tokenEntries.sequence, 3));
    const wrong = await driftAfter((tx) =>
      tx.query.update(tx.tables.tokenEntries).set({ balanceAfter: 1 }).where(isLast(tx)),
    );
    const missing = await driftAfter((tx) => tx.query.delete(tx.tables.tokenEntries).where(isLast(tx)));
    const uncounted = await driftAfter(({ query, tables: { tokenAccounts } }) =>
      query
        .update(tokenAccounts)
        .set({ lastSequence: 1, balance: 8 })
        .where(eq(tokenAccounts.agentId, agentId)),
    );
    expect([wrong, missing, uncounted]).toEqual([7, 8, 6]);
  });

  test('an entry beyond the last one is found even if every sum is right', async () => {
    const drift = await driftAfter(async (tx) => {
      const { tokenEntries } = tx.tables;
      const [last] = await tx.query
        .select()
        .from(tokenEntries)
        .where(and(eq(tokenEntries.agentId, agentId), eq(tokenEntries.sequence, 3)));
      await tx.query
        .insert(tokenEntries)
        .values({ ...last!, id: Bun.randomUUIDv7(), sequence: 4, reference: 'twice' });
    });
    expect(drift).toBe(0);
  });

  test('a missing last entry is found even if the account is empty', async () => {
    const drift = await driftAfter(async ({ query, tables: { tokenAccounts, tokenLots, tokenEntries } }) => {
      await query.update(tokenAccounts).set({ balance: 0 }).where(eq(tokenAccounts.agentId, agentId));
      await query.update(tokenLots).set({ remaining: 0 }).where(eq(tokenLots.agentId, agentId));
      await query.delete(tokenEntries).where(eq(tokenEntries.agentId, agentId));
    });
    expect(drift).toBe(0);
  });

  test('a pass checks every account once, 200 at a time, in id order', async () => {
    await createCrowd(ctx, 250, 1);
    const { tokenAccounts } = store.db.tables;
    const all = (await store.db.query.select({ id: tokenAccounts.agentId }).from(tokenAccounts)).map(
      ({ id }) => id,
    );
    const ids = all.toSorted();
    const first = await checkLedgers(ctx, { after: null });
    expect(first).toEqual({ checked: 200, mismatches: [], last: ids[199]! });
    const second = await checkLedgers(ctx, { after: first.last });
    expect(second).toEqual({ checked: ids.length - 200, mismatches: [], last: null });
    expect(await checkLedgers(ctx, { after: ids.at(-201)! })).toMatchObject({
      checked: 200,
      last: ids.at(-1)!,
    });
  });
});
