/** A batch of redemptions costs a fixed number of statements, and waits for the store twice. */
import { expect, test } from 'bun:test';
import { withTransaction } from '#domain/context.ts';
import { acceptRedemptions } from '#domain/runs/redeem.ts';
import { plainOrder } from '#test/harness/plain-order.ts';
import { type WatchedStatements, watchStatements } from '#test/harness/count-statements.ts';
import { createCrowd } from '#test/harness/crowd.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';

forEachStore((store) => {
  async function costOf(agents: number, count: keyof WatchedStatements): Promise<number> {
    const ctx = createTestCtx(store.db);
    const crowd = await createCrowd(ctx, agents, 5);
    const requests = crowd.map(({ id }) => ({
      agentId: id,
      order: plainOrder('http://127.0.0.1:9/answer'),
    }));
    const watched = await withTransaction(ctx, async (tx) => {
      const statements = watchStatements(tx.db);
      for (const result of await acceptRedemptions(tx, requests)) if (result instanceof Error) throw result;
      return statements;
    });
    return watched[count];
  }

  test('a hundred redemptions take as many statements as one', async () => {
    // Accounts, lots, open runs, failed runs, suspensions, stored bytes; accounts, lots, entries, redemptions, runs, jobs.
    expect([await costOf(1, 'statements'), await costOf(100, 'statements')]).toEqual([12, 12]);
  });

  test.if(store.dialect === 'postgres')('redemptions wait for the store twice', async () => {
    // To read, and to write with COMMIT.
    expect(await costOf(100, 'roundTrips')).toBe(2);
  });
});
