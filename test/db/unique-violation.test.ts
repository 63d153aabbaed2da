/** The unique index that rejected a row is identified on both stores by its name, and never by text from a caller. */
import { beforeAll, expect, test } from 'bun:test';
import { isUniqueViolation, violatesUnique } from '#db/errors.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { failureOf } from '#test/harness/failure-of.ts';
import { forEachStore } from '#test/harness/stores.ts';

forEachStore((store) => {
  let agentId: string;
  beforeAll(async () => {
    agentId = (await createTestAgent(createTestCtx(store.db))).id;
  });

  async function insert(sequence: number, reference: string | null, reason = ''): Promise<unknown> {
    const row = {
      id: Bun.randomUUIDv7(),
      agentId,
      sequence,
      kind: 'grant' as const,
      amount: 1,
      balanceAfter: 1,
    };
    const entry = { ...row, reason, reference, lots: [], createdAt: new Date() };
    return failureOf(store.db.transaction((tx) => tx.query.insert(tx.tables.tokenEntries).values(entry)));
  }
  const byReference = (error: unknown) =>
    violatesUnique(error, 'token_entries_reference_unique', 'token_entries.reference');
  const bySequence = (error: unknown) =>
    violatesUnique(error, 'token_entries_sequence_unique', 'token_entries.sequence');

  test('a duplicate grant reference is distinguished from a duplicate entry number', async () => {
    await insert(1, 'r');
    const twice = await insert(2, 'r');
    expect([isUniqueViolation(twice), byReference(twice), bySequence(twice)]).toEqual([true, true, false]);
    const sameNumber = await insert(1, 'other');
    expect([byReference(sameNumber), bySequence(sameNumber)]).toEqual([false, true]);
  });

  test('a text that contains the name of an index is not mistaken for it', async () => {
    await insert(10, null);
    const reason = 'token_entries_reference_unique token_entries.reference';
    const sameNumber = await insert(10, reason, reason);
    expect([byReference(sameNumber), bySequence(sameNumber)]).toEqual([false, true]);
  });

  const openAccount = (owner: string, balance: number) => {
    const row = { agentId: owner, balance, lastSequence: 0 };
    return failureOf(store.db.transaction((tx) => tx.query.insert(tx.tables.tokenAccounts).values(row)));
  };

  test('a duplicate primary key is a unique violation', async () => {
    expect(isUniqueViolation(await openAccount(agentId, 0))).toBe(true);
  });

  test('a failed check and a missing agent are not unique violations', async () => {
    for (const balance of [-1, 0]) {
      const error = await openAccount(Bun.randomUUIDv7(), balance);
      expect(error).toBeInstanceOf(Error);
      expect(isUniqueViolation(error)).toBe(false);
    }
  });
});
