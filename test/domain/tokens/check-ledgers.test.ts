/** The sweeper's ledger check finds every lost or duplicated write, and reports nothing else. */
import { beforeEach, expect, test } from 'bun:test';
import { and, eq } from 'drizzle-orm';
import { type Transaction, type Database } from '#db/database.ts';
import { checkLedgers } from '#domain/tokens/check-ledgers.ts';
import { withTransaction } from '#domain/context.ts';
import { findSpends, openLedger } from '#domain/tokens/ledger-store.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { createCrowd } from '#test/harness/crowd.ts';
import { useTestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { renderMetrics } from '#runtime/tracing/metrics.ts';
import { parseMetrics, sumOf } from '#test/harness/metrics.ts';
import { rowOf, rowsOf, changeRowsIn } from '#test/harness/rows.ts';
import { useFreshCtx } from '#test/harness/use-agent-ctx.ts';
import { grantLots, inLedger, refundSpend, spendTokens } from './moves.ts';

forEachStore((store) => {
  const ctx = useFreshCtx(store);
  let agentId: string;
  beforeEach(async () => {
    await createTestAgent(ctx);
    // Ten tokens granted and two spent: two lots, one of them empty, and three entries.
    agentId = (await createTestAgent(ctx, { tokens: 2 })).id;
    await createTestAgent(ctx, { tokens: 3 });
    await spendTokens(ctx, agentId, 2);
    await grantLots(ctx, agentId, [[8, null]]);
  });

  /** The mismatch reported for the agent. No other agent may be reported. */
  async function findDrift(db: Database = store.db): Promise<number | null> {
    const { mismatches } = await checkLedgers({ ...ctx, db }, { after: null });
    expect(mismatches.map((account) => account.agentId)).toEqual(mismatches.length === 0 ? [] : [agentId]);
    return mismatches[0]?.tokens ?? null;
  }
  /** Corrupts the agent's account, runs the check and rolls back. */
  async function driftAfter(damage: (tx: Transaction) => PromiseLike<unknown>): Promise<number | null> {
    let drift: number | null = null;
    const undone = store.db.transaction(async (tx) => {
      await damage(tx);
      drift = await findDrift(tx);
      throw new Error('roll back');
    });
    await expect(undone).rejects.toThrow('roll back');
    return drift;
  }

  test('a balance that disagrees with lots and last entry is reported with the difference in tokens', async () => {
    for (const balance of [3, 11]) {
      const drift = await driftAfter((tx) => changeRowsIn(tx, 'tokenAccounts', { agentId }, { balance }));
      expect(drift).toBe(Math.abs(8 - balance));
    }
  });

  test('a duplicated or missing lot is found', async () => {
    for (const remaining of [0, 5]) {
      const lot = { agentId, remaining: 8 };
      const drift = await driftAfter((tx) => changeRowsIn(tx, 'tokenLots', lot, { remaining }));
      expect(drift).toBe(8 - remaining);
    }
  });

  test('a wrong, missing or uncounted last entry is found, also of an empty account', async () => {
    const last = { agentId, sequence: 3 };
    const wrong = await driftAfter((tx) => changeRowsIn(tx, 'tokenEntries', last, { balanceAfter: 1 }));
    const missing = await driftAfter(({ query, tables: { tokenEntries } }) =>
      query.delete(tokenEntries).where(and(eq(tokenEntries.agentId, agentId), eq(tokenEntries.sequence, 3))),
    );
    const uncounted = await driftAfter((tx) =>
      changeRowsIn(tx, 'tokenAccounts', { agentId }, { lastSequence: 1, balance: 8 }),
    );
    expect([wrong, missing, uncounted]).toEqual([7, 8, 6]);
    const ofEmptyAccount = await driftAfter(async (tx) => {
      await changeRowsIn(tx, 'tokenAccounts', { agentId }, { balance: 0 });
      await changeRowsIn(tx, 'tokenLots', { agentId }, { remaining: 0 });
      await tx.query.delete(tx.tables.tokenEntries).where(eq(tx.tables.tokenEntries.agentId, agentId));
    });
    expect(ofEmptyAccount).toBe(0);
  });

  test('an entry beyond the last one is found even if every sum is right', async () => {
    const drift = await driftAfter(async (tx) => {
      const last = await rowOf({ db: tx }, 'tokenEntries', { agentId, sequence: 3 });
      await tx.query
        .insert(tx.tables.tokenEntries)
        .values({ ...last, id: Bun.randomUUIDv7(), sequence: 4, reference: 'twice' });
    });
    expect(drift).toBe(0);
  });

  test('a pass checks every account once, 200 at a time, in id order', async () => {
    await createCrowd(ctx, 250, 1);
    const ids = (await rowsOf(ctx, 'tokenAccounts')).map((account) => account.agentId).toSorted();
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

/**
 * Opening a ledger loads exactly the requested accounts with their live lots, and spends without later
 * entries.
 */
forEachStore((store) => {
  const ctx = useTestCtx(store);

  test('a spend is found by its reference, without its refund and without others', async () => {
    const { id } = await createTestAgent(ctx, { tokens: 5 });
    const [first, second] = [await spendTokens(ctx, id, 1), await spendTokens(ctx, id, 2)];
    await refundSpend(ctx, first);
    await withTransaction(ctx, async (inner) => {
      expect(await findSpends(inner, [first.reference!])).toEqual([first]);
      expect(await findSpends(inner, [second.reference!, Bun.randomUUIDv7()])).toEqual([second]);
      expect(await findSpends(inner, [])).toEqual([]);
    });
  });

  test('exactly the requested accounts are opened, with their remaining lots', async () => {
    const one = await createTestAgent(ctx, { tokens: 5 });
    const other = await createTestAgent(ctx, { tokens: 6 });
    const spent = await spendTokens(ctx, other.id, 6);
    await withTransaction(ctx, async (inner) => {
      const ledger = await openLedger(inner, { agentIds: [one.id, other.id] });
      expect([...ledger.accounts.keys()].toSorted()).toEqual([one.id, other.id].toSorted());
      expect([...ledger.account(one.id).lots.values()].map(({ remaining }) => remaining)).toEqual([5]);
      expect(ledger.account(other.id).lots.size).toBe(0);
      // The lots of a spend are opened too, so that it can be refunded to them.
      const refundable = await openLedger(inner, { agentIds: [other.id], spends: [spent] });
      expect([...refundable.accounts.keys()]).toEqual([other.id]);
      expect([...refundable.account(other.id).lots.keys()]).toEqual(spent.lots.map(({ lotId }) => lotId));
    });
  });

  test('an account whose lots do not add up to its balance is not written', async () => {
    const { id } = await createTestAgent(ctx, { tokens: 3 });
    const broken = inLedger(ctx, { agentIds: [id] }, (ledger) => {
      ledger.takeFreeRun('freeEvalRedemptionId', id, Bun.randomUUIDv7());
      ledger.account(id).balance = 4;
    });
    await expect(broken).rejects.toThrow('hold 3, its balance is 4');
  });

  test('entries and tokens of each kind are counted after the commit, and not after a rollback', async () => {
    const told = async (kind: string) => {
      const samples = parseMetrics(await renderMetrics());
      return ['hub_ledger_entries_total', 'hub_ledger_tokens_total'].map((name) =>
        sumOf(samples, name, { kind }),
      );
    };
    const { id } = await createTestAgent(ctx, { tokens: 5 });
    const [grants, spends, refunds] = [await told('grant'), await told('spend'), await told('refund')];
    const spent = await spendTokens(ctx, id, 4);
    await refundSpend(ctx, spent);
    const undone = withTransaction(ctx, async (inner) => {
      await grantLots(inner, id, [[9, null]]);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await told('grant')).toEqual(grants);
    expect(await told('spend')).toEqual([spends[0]! + 1, spends[1]! + 4]);
    expect(await told('refund')).toEqual([refunds[0]! + 1, refunds[1]! + 4]);
  });
});

test('every kind is reported as 0 before the first entry, so that the first refund is an increase', async () => {
  const script =
    "import '#domain/tokens/ledger-store.ts'; import { renderMetrics } from '#runtime/tracing/metrics.ts'; console.log(await renderMetrics());";
  const fresh = Bun.spawn([process.execPath, '--eval', script], {
    cwd: import.meta.dirname,
    stdin: 'ignore',
  });
  const samples = parseMetrics(await new Response(fresh.stdout).text());
  for (const name of ['hub_ledger_entries_total', 'hub_ledger_tokens_total']) {
    const told = samples.filter((sample) => sample.name === name);
    expect(told.map(({ labels, value }) => [labels['kind'], value])).toEqual([
      ['grant', 0],
      ['spend', 0],
      ['refund', 0],
      ['expiry', 0],
    ]);
  }
});
