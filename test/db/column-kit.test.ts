/** A stored value reads back as the same JavaScript value from both stores. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { eq, sql } from 'drizzle-orm';
import fc from 'fast-check';
import { createId } from '#runtime/create-id.ts';
import { createTestAgent, newAgentRow, untouched } from '#test/harness/agents.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { rowOf, rowsOf } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { jobRow } from './job-rows.ts';

const countMax = 2 ** 53 - 1;

forEachStore((store) => {
  let agentId: string;
  beforeAll(async () => {
    agentId = (await createTestAgent(createTestCtx(store.db))).id;
  });

  /** Stores jobs with these times and payloads. @returns their rows, in the same order */
  async function storeJobs(rows: readonly { readonly at: Date; readonly payload: unknown }[]) {
    const { jobs } = store.db.tables;
    const values = rows.map(({ at, payload }) => ({ ...jobRow(createId(new Date()), payload), runAt: at }));
    await store.db.transaction((tx) => tx.query.insert(jobs).values(values));
    return Promise.all(values.map(({ id }) => rowOf(store, 'jobs', { id })));
  }

  const storePayload = async (payload: unknown): Promise<unknown> =>
    (await storeJobs([{ at: new Date(), payload }]))[0]?.payload;

  const storeInstants = async (instants: readonly Date[]): Promise<Date[]> =>
    (await storeJobs(instants.map((at) => ({ at, payload: {} })))).map(({ runAt }) => runAt);

  test('a timestamp keeps its milliseconds', async () => {
    const instants = [
      '1970-01-01T00:00:00.000Z',
      '2026-03-29T01:59:59.999Z',
      '2026-03-29T02:00:00.001Z',
      '9999-12-31T23:59:59.999Z',
    ].map((text) => new Date(text));
    expect(await storeInstants(instants)).toEqual(instants);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.date({ min: instants[0]!, max: instants.at(-1)!, noInvalidDate: true }), {
          minLength: 1,
        }),
        async (drawn) => expect(await storeInstants(drawn)).toEqual(drawn),
      ),
      { numRuns: 20 },
    );
  });

  test('a timestamp compares to the millisecond', async () => {
    const instant = new Date('2031-05-06T07:08:09.123Z');
    await storeInstants([instant]);
    const after = new Date(instant.getTime() + 1);
    expect(await rowsOf(store, 'jobs', { runAt: instant })).toHaveLength(1);
    expect(await rowsOf(store, 'jobs', { runAt: after })).toEqual([]);
  });

  describe('JSON', () => {
    test('round-trips any value', async () => {
      const anyValue = fc.jsonValue().filter((value) => value !== null);
      await fc.assert(
        fc.asyncProperty(anyValue, async (value) => {
          expect(JSON.stringify(await storePayload(value))).toBe(JSON.stringify(value));
        }),
        { numRuns: 60 },
      );
    });

    test('null means no value', async () => {
      const { challenges } = store.db.tables;
      const now = new Date();
      const id = createId(now);
      const texts = { handle: 'somebody', purpose: 'login', publicKey: '', challenge: '' } as const;
      const row = { id, ...texts, profile: null, createdAt: now, expiresAt: now, turn: 0 };
      await store.db.transaction((tx) => tx.query.insert(challenges).values(row));
      const [found] = await store.db.query
        .select({ profile: challenges.profile, isNull: sql<boolean>`${challenges.profile} is null` })
        .from(challenges)
        .where(eq(challenges.id, id));
      expect([found?.profile, Boolean(found?.isNull)]).toEqual([null, true]);
    });
  });

  test('a count goes up to 2^53 - 1, and sums of counts are numbers', async () => {
    const { tokenEntries } = store.db.tables;
    const amounts = [countMax, -countMax, 0, 1, 2 ** 31, 2 ** 40 + 1];
    const entries = amounts.map((amount, index) => ({
      id: createId(new Date()),
      agentId,
      sequence: index + 1,
      kind: 'grant' as const,
      amount,
      balanceAfter: Math.abs(amount),
      reason: '',
      lots: [],
      createdAt: new Date(),
    }));
    await store.db.transaction((tx) => tx.query.insert(tokenEntries).values(entries));
    const rows = await rowsOf(store, 'tokenEntries', { agentId });
    const stored = rows.toSorted((one, other) => one.sequence - other.sequence);
    expect(stored.map(({ amount, lots }) => [amount, lots])).toEqual(amounts.map((amount) => [amount, []]));
    const [total] = await store.db.query
      .select({ sum: sql`sum(${tokenEntries.amount})`.mapWith(Number) })
      .from(tokenEntries)
      .where(eq(tokenEntries.agentId, agentId));
    expect(total?.sum).toBe(2 ** 40 + 2 ** 31 + 2);
  });

  test('flags, texts and missing values round-trip', async () => {
    const { agents } = store.db.tables;
    const oneText = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((text) => !text.includes('\0'));
    await fc.assert(
      fc.asyncProperty(oneText, fc.option(oneText), fc.boolean(), async (bio, site, verifiedBadge) => {
        const defaults = { ...untouched, publishScore: false, publishHistory: false, network: null };
        const row = { ...newAgentRow(new Date()), ...defaults, bio, site, verifiedBadge };
        await store.db.transaction((tx) => tx.query.insert(agents).values(row));
        expect(await rowOf(store, 'agents', { id: row.id })).toEqual(row);
      }),
      { numRuns: 50 },
    );
  });
});
