/**
 * Opening a ledger loads exactly the requested accounts with their live lots, and spends without later
 * entries.
 */
import { expect, test } from 'bun:test';
import { type TransactionCtx, withTransaction } from '#domain/context.ts';
import { findSpends, openLedger, saveLedger } from '#domain/tokens/ledger-store.ts';
import type { LedgerEntry } from '#domain/tokens/ledger.ts';
import { renderMetrics } from '#runtime/tracing/metrics.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { useTestCtx } from '#test/harness/ctx.ts';
import { parseMetrics, sumOf } from '#test/harness/metrics.ts';
import { forEachStore } from '#test/harness/stores.ts';

const reason = 'for a test';

forEachStore((store) => {
  const ctx = useTestCtx(store);

  async function spend(agentId: string, amount: number): Promise<LedgerEntry> {
    return withTransaction(ctx, async (inner) => {
      const ledger = await openLedger(inner, { agentIds: [agentId] });
      const entry = ledger.spend({ agentId, amount, reason, reference: Bun.randomUUIDv7() });
      await saveLedger(inner, ledger);
      return entry;
    });
  }
  async function refund(inner: TransactionCtx, given: LedgerEntry): Promise<void> {
    const ledger = await openLedger(inner, { agentIds: [given.agentId], spends: [given] });
    ledger.refund({ spend: given, reason, hasGrace: true });
    await saveLedger(inner, ledger);
  }

  test('a spend is found by its reference, without its refund and without others', async () => {
    const { id } = await createTestAgent(ctx, { tokens: 5 });
    const [first, second] = [await spend(id, 1), await spend(id, 2)];
    await withTransaction(ctx, (inner) => refund(inner, first));
    await withTransaction(ctx, async (inner) => {
      expect(await findSpends(inner, [first.reference!])).toEqual([first]);
      expect(await findSpends(inner, [second.reference!, Bun.randomUUIDv7()])).toEqual([second]);
      expect(await findSpends(inner, [])).toEqual([]);
    });
  });

  test('exactly the requested accounts are opened, with their remaining lots', async () => {
    const one = await createTestAgent(ctx, { tokens: 5 });
    const other = await createTestAgent(ctx, { tokens: 6 });
    const spent = await spend(other.id, 6);
    await withTransaction(ctx, async (inner) => {
      const ledger = await openLedger(inner, { agentIds: [one.id, other.id] });
      expect([...ledger.accounts.keys()].toSorted()).toEqual([one.id, other.id].toSorted());
      expect([...ledger.account(one.id).lots.values()].map(({ remaining }) => remaining)).toEqual([5]);
      expect(ledger.account(other.id).lots.size).toBe(0);
      const alone = await openLedger(inner, { agentIds: [one.id] });
      expect([...alone.accounts.keys()]).toEqual([one.id]);
      // The lots of a spend are opened too, so that it can be refunded to them.
      const refundable = await openLedger(inner, { agentIds: [other.id], spends: [spent] });
      expect([...refundable.account(other.id).lots.keys()]).toEqual(spent.lots.map(({ lotId }) => lotId));
    });
  });

  test("the lots of a spend are opened in addition to the agent's remaining lots", async () => {
    const { id } = await createTestAgent(ctx, { tokens: 1 });
    const spent = await spend(id, 1);
    await withTransaction(ctx, async (inner) => {
      const ledger = await openLedger(inner, { agentIds: [id] });
      ledger.grant({ agentId: id, amount: 3, reason, reference: null, expiresAt: null });
      await saveLedger(inner, ledger);
    });
    await withTransaction(ctx, (inner) => refund(inner, spent));
    const ledger = await withTransaction(ctx, (inner) => openLedger(inner, { agentIds: [id] }));
    expect(ledger.account(id).balance).toBe(4);
  });

  test('an account whose lots do not add up to its balance is not written', async () => {
    const { id } = await createTestAgent(ctx, { tokens: 3 });
    const broken = withTransaction(ctx, async (inner) => {
      const ledger = await openLedger(inner, { agentIds: [id] });
      ledger.takeFreeRun('freeEvalRedemptionId', id, Bun.randomUUIDv7());
      ledger.account(id).balance = 4;
      await saveLedger(inner, ledger);
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
    const spent = await spend(id, 4);
    await withTransaction(ctx, (inner) => refund(inner, spent));
    const undone = withTransaction(ctx, async (inner) => {
      const ledger = await openLedger(inner, { agentIds: [id] });
      ledger.grant({ agentId: id, amount: 9, reason, reference: null, expiresAt: null });
      await saveLedger(inner, ledger);
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
