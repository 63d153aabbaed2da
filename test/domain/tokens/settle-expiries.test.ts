/**
 * Expiries that no request has touched: the sweeper settles each once, a batch of accounts at a time, and no
 * others.
 */
import { beforeEach, expect, test } from 'bun:test';
import { asc, eq, inArray } from 'drizzle-orm';
import { withTransaction } from '#domain/context.ts';
import { openLedger, saveLedger } from '#domain/tokens/ledger-store.ts';
import { settleAgentExpiries, settleExpiries } from '#domain/tokens/settle-expiries.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { countStatements } from '#test/harness/count-statements.ts';
import { createCrowd } from '#test/harness/crowd.ts';
import { createTestCtx, type TestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';

const hourMs = 60 * 60 * 1_000;

forEachStore((store) => {
  let ctx: TestCtx;
  beforeEach(async () => {
    ctx = createTestCtx(store.db);
    ctx.clock.set(new Date('2030-01-01T00:00:00Z'));
    // First settle what earlier tests left, at a time when all of it is due.
    const later = createTestCtx(store.db);
    later.clock.set(new Date('2031-01-01T00:00:00Z'));
    while ((await settleExpiries(later)) > 0);
  });

  async function grant(agentId: string, amount: number, livesMs: number | null): Promise<void> {
    await withTransaction(ctx, async (inner) => {
      const ledger = await openLedger(inner, { agentIds: [agentId] });
      const expiresAt = livesMs === null ? null : new Date(ctx.clock.now().getTime() + livesMs);
      ledger.grant({ agentId, amount, reason: 'for a test', reference: null, expiresAt });
      await saveLedger(inner, ledger);
    });
  }
  async function spend(agentId: string, amount: number): Promise<void> {
    await withTransaction(ctx, async (inner) => {
      const ledger = await openLedger(inner, { agentIds: [agentId] });
      ledger.spend({ agentId, amount, reason: 'for a test', reference: Bun.randomUUIDv7() });
      await saveLedger(inner, ledger);
    });
  }
  async function entriesOf(agentId: string): Promise<(readonly [string, number])[]> {
    const { tokenEntries } = store.db.tables;
    const rows = await store.db.query
      .select()
      .from(tokenEntries)
      .where(eq(tokenEntries.agentId, agentId))
      .orderBy(asc(tokenEntries.sequence));
    return rows.map(({ kind, amount }) => [kind, amount]);
  }

  test('a lot expires once at its instant and not a millisecond earlier; lots without expiry stay', async () => {
    const { id } = await createTestAgent(ctx);
    await grant(id, 3, hourMs);
    await grant(id, 4, null);
    ctx.clock.advance(hourMs - 1);
    expect(await settleExpiries(ctx)).toBe(0);
    ctx.clock.advance(1);
    expect(await settleExpiries(ctx)).toBe(1);
    expect(await settleExpiries(ctx)).toBe(0);
    expect(await entriesOf(id)).toEqual([
      ['grant', 3],
      ['grant', 4],
      ['expiry', -3],
    ]);
  });

  test('a fully spent lot does not expire, and its account is not opened', async () => {
    const { id } = await createTestAgent(ctx);
    await grant(id, 3, hourMs);
    await spend(id, 3);
    ctx.clock.advance(2 * hourMs);
    expect(await settleExpiries(ctx)).toBe(0);
  });

  test('100 accounts are settled at a time in id order, the rest by the next call', async () => {
    const crowd = await createCrowd(ctx, 101, 1);
    const ids = crowd.map(({ id }) => id).toSorted();
    const { tokenLots } = store.db.tables;
    await store.db.transaction((tx) =>
      tx.query.update(tokenLots).set({ expiresAt: ctx.clock.now() }).where(inArray(tokenLots.agentId, ids)),
    );
    expect(await settleExpiries(ctx)).toBe(100);
    expect((await entriesOf(ids[0]!)).at(-1)).toEqual(['expiry', -1]);
    expect(await entriesOf(ids[100]!)).toEqual([['grant', 1]]);
    expect(await settleExpiries(ctx)).toBe(1);
    expect((await entriesOf(ids[100]!)).at(-1)).toEqual(['expiry', -1]);
  });

  test("one agent's expiries are settled without touching others", async () => {
    const [one, other] = [await createTestAgent(ctx), await createTestAgent(ctx)];
    for (const { id } of [one, other]) await grant(id, 2, hourMs);
    ctx.clock.advance(hourMs - 1);
    await settleAgentExpiries(ctx, one.id);
    expect(await entriesOf(one.id)).toEqual([['grant', 2]]);
    ctx.clock.advance(1);
    await settleAgentExpiries(ctx, one.id);
    expect(await entriesOf(one.id)).toEqual([
      ['grant', 2],
      ['expiry', -2],
    ]);
    expect(await entriesOf(other.id)).toEqual([['grant', 2]]);
  });

  test('one small read suffices if nothing is due for the agent', async () => {
    const [one, other] = [await createTestAgent(ctx), await createTestAgent(ctx)];
    await grant(other.id, 2, hourMs);
    await grant(one.id, 2, hourMs);
    await spend(one.id, 2);
    await grant(one.id, 2, 3 * hourMs);
    ctx.clock.advance(2 * hourMs);
    await withTransaction(ctx, async (inner) => {
      expect(await countStatements(inner.db, () => settleAgentExpiries(inner, one.id))).toBe(1);
      expect(await countStatements(inner.db, () => settleAgentExpiries(inner, other.id))).toBeGreaterThan(1);
    });
  });
});
