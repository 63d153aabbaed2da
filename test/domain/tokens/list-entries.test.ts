/**
 * An agent's history: newest first, in pages without gaps or duplicates, always adding up to its balance. Expiries that no
 * request has touched are settled by the sweeper.
 */
import { beforeEach, expect, test } from 'bun:test';
import { inArray } from 'drizzle-orm';
import { withTransaction, type AgentCtx } from '#domain/context.ts';
import { type LedgerEntry } from '#domain/tokens/ledger.ts';
import { listEntries, type ListEntriesInput } from '#domain/tokens/list-entries.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, createTestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { settleAgentExpiries, settleExpiries } from '#domain/tokens/settle-expiries.ts';
import { countStatements } from '#test/harness/count-statements.ts';
import { createCrowd } from '#test/harness/crowd.ts';
import { rowsOf } from '#test/harness/rows.ts';
import { useFreshCtx } from '#test/harness/use-agent-ctx.ts';
import { grantLots, spendTokens } from './moves.ts';
import { allPages, balanceOf } from '../outcomes.ts';

const hourMs = 60 * 60 * 1_000;

forEachStore((store) => {
  const ctx = useFreshCtx(store);
  let agent: TestAgent;
  let asAgent: AgentCtx;
  beforeEach(async () => {
    // No list has the entry of another agent.
    await createTestAgent(ctx, { tokens: 9 });
    agent = await createTestAgent(ctx);
    asAgent = actingAs(ctx, agent);
  });

  /** Each amount is a lot of its own. */
  const grant = (amounts: readonly number[], livesMs: number | null = null, { id } = agent) => {
    const expiresAt = livesMs === null ? null : new Date(ctx.clock.now().getTime() + livesMs);
    return grantLots(
      ctx,
      id,
      amounts.map((amount) => [amount, expiresAt]),
    );
  };
  const list = (input: Partial<ListEntriesInput> = {}) =>
    listEntries(asAgent, { limit: 100, cursor: null, kind: null, ...input });
  const listAll = async (input: Partial<ListEntriesInput>) =>
    (await allPages((cursor) => list({ ...input, cursor }))).flat();

  test('pages of every size return every entry once, newest first', async () => {
    await grant([1, 2, 3, 4]);
    await spendTokens(ctx, agent.id, 5);
    const all = (await list()).items;
    expect(all.map((entry) => entry.amount)).toEqual([-5, 4, 3, 2, 1]);
    for (const limit of [1, 2, 3, 4, 5, 6]) expect(await listAll({ limit })).toEqual([...all]);
    // An exactly full page has no next page.
    expect((await list({ limit: 5 })).nextCursor).toBeNull();
  });

  test('entries added between pages do not affect later pages', async () => {
    await grant([1, 2, 3]);
    const first = await list({ limit: 1 });
    await grant([4]);
    const second = await list({ limit: 10, cursor: first.nextCursor });
    expect(second.items.map((entry) => entry.amount)).toEqual([2, 1]);
  });

  test('filtering by kind works across pages', async () => {
    await grant([1, 2, 3]);
    await spendTokens(ctx, agent.id, 1);
    await spendTokens(ctx, agent.id, 2);
    const amounts = async (kind: LedgerEntry['kind']) =>
      (await listAll({ kind, limit: 1 })).map((entry) => entry.amount);
    expect(await amounts('grant')).toEqual([3, 2, 1]);
    expect(await amounts('spend')).toEqual([-2, -1]);
    expect(await amounts('refund')).toEqual([]);
  });

  test('reading the history settles due expiries, so that it adds up to the balance', async () => {
    await grant([7], hourMs);
    await grant([5]);
    ctx.clock.advance(hourMs);
    const { items } = await list();
    expect(items).toMatchObject([
      { kind: 'expiry', amount: -7, balanceAfter: 5 },
      { kind: 'grant', amount: 5, balanceAfter: 12 },
      { kind: 'grant', amount: 7, balanceAfter: 7 },
    ]);
    const { balance } = await balanceOf(ctx, agent);
    expect(items.reduce((sum, entry) => sum + entry.amount, 0)).toBe(balance);
    expect(await list()).toEqual({ items, nextCursor: null });
  });

  test('only the first page settles expiries; later pages show none, and the next first page does', async () => {
    await grant([1, 2], hourMs);
    const first = await list({ limit: 1 });
    ctx.clock.advance(hourMs);
    await list({ limit: 1, cursor: first.nextCursor });
    const written = () => rowsOf(ctx, 'tokenEntries', { agentId: agent.id });
    expect(await written()).toHaveLength(2);
    await list({ limit: 1 });
    expect(await written()).toHaveLength(4);
  });

  /** First settles what earlier tests left, at a time when all of it is due. */
  async function settleAll(): Promise<void> {
    ctx.clock.set(new Date('2030-01-01T00:00:00Z'));
    const later = createTestCtx(store.db);
    later.clock.set(new Date('2031-01-01T00:00:00Z'));
    while ((await settleExpiries(later)) > 0);
  }
  async function entriesOf(agentId: string): Promise<(readonly [string, number])[]> {
    const rows = await rowsOf(ctx, 'tokenEntries', { agentId });
    return rows.toSorted((a, b) => a.sequence - b.sequence).map(({ kind, amount }) => [kind, amount]);
  }

  test('the sweeper settles expiries of 100 accounts at a time in id order, the rest by the next call', async () => {
    await settleAll();
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
    for (const each of [one, other]) await grant([2], hourMs, each);
    ctx.clock.advance(hourMs - 1);
    await settleAgentExpiries(ctx, one.id);
    expect(await entriesOf(one.id)).toEqual([['grant', 2]]);
    ctx.clock.advance(1);
    await settleAgentExpiries(ctx, one.id);
    expect((await entriesOf(one.id)).slice(1)).toEqual([['expiry', -2]]);
    expect(await entriesOf(other.id)).toEqual([['grant', 2]]);
  });

  test('one small read suffices if nothing is due for the agent', async () => {
    const [one, other] = [await createTestAgent(ctx), await createTestAgent(ctx)];
    for (const each of [one, other]) await grant([2], hourMs, each);
    await spendTokens(ctx, one.id, 2);
    await grant([2], 3 * hourMs, one);
    ctx.clock.advance(2 * hourMs);
    await withTransaction(ctx, async (inner) => {
      expect(await countStatements(inner.db, () => settleAgentExpiries(inner, one.id))).toBe(1);
      expect(await countStatements(inner.db, () => settleAgentExpiries(inner, other.id))).toBeGreaterThan(1);
    });
  });
});
