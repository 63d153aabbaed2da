/** The ledger as a unit of work in memory: how it changes accounts and what it rejects. */
import { expect, test } from 'bun:test';
import { Ledger, type LedgerAccount, type LedgerEntry, type LedgerLot } from '#domain/tokens/ledger.ts';

const now = new Date('2026-05-01T12:00:00.000Z');
const hourMs = 60 * 60 * 1_000;
const dayMs = 24 * hourMs;
const agentId = 'the agent';
const after = (ms: number) => new Date(now.getTime() + ms);

function lot(id: string, remaining: number, expiresInMs: number | null, amount = remaining): LedgerLot {
  const expiresAt = expiresInMs === null ? null : after(expiresInMs);
  return { id, agentId, amount, remaining, expiresAt, hadGrace: false, createdAt: now };
}

function accountOf(lots: readonly LedgerLot[]): LedgerAccount {
  return {
    agentId,
    balance: lots.reduce((sum, { remaining }) => sum + remaining, 0),
    lastSequence: 40,
    freeEvalRedemptionId: null,
    freeAgentRunRedemptionId: null,
    freeSuiteRunRedemptionId: null,
    lots: new Map(lots.map((each) => [each.id, each])),
  };
}

function open(...lots: readonly LedgerLot[]): Ledger {
  return new Ledger(now, new Map([[agentId, accountOf(lots)]]));
}

function spendOf(shares: Record<string, number>): LedgerEntry {
  const lots = Object.entries(shares).map(([lotId, amount]) => ({ lotId, amount }));
  return {
    id: 'spend',
    agentId,
    sequence: 40,
    kind: 'spend',
    amount: -lots.reduce((sum, { amount }) => sum + amount, 0),
    balanceAfter: 0,
    reason: '',
    reference: 'redemption',
    source: '',
    expiresAt: null,
    lots,
    createdAt: now,
  };
}

const spend = { agentId, reason: 'for a test', reference: 'r' };

test('due expiries are settled in the order in which they fell due, in any order of lots', () => {
  const ledger = open(
    lot('c', 3, -hourMs),
    lot('d', 4, 0),
    lot('b', 2, -2 * hourMs),
    lot('a', 1, -2 * hourMs),
  );
  const expiry = (hoursAgo: number) => ({ kind: 'expiry', expiresAt: after(-hoursAgo * hourMs) });
  expect(ledger.newEntries).toMatchObject([
    { ...expiry(2), reference: 'a', amount: -1, balanceAfter: 9, sequence: 41 },
    { ...expiry(2), reference: 'b', amount: -2, balanceAfter: 7, sequence: 42 },
    { ...expiry(1), reference: 'c', amount: -3, balanceAfter: 4, sequence: 43 },
    { ...expiry(0), reference: 'd', amount: -4, balanceAfter: 0, sequence: 44 },
  ]);
});

test('a spend takes from the lot that expires first, and from lots without expiry last', () => {
  const ledger = open(lot('a-ever', 5, null), lot('z-soon', 2, hourMs), lot('b-later', 3, dayMs));
  const entry = ledger.spend({ ...spend, amount: 6 });
  expect(entry.lots).toEqual([
    { lotId: 'z-soon', amount: 2 },
    { lotId: 'b-later', amount: 3 },
    { lotId: 'a-ever', amount: 1 },
  ]);
  const made = { kind: 'spend', amount: -6, balanceAfter: 4 };
  expect(entry).toMatchObject({ ...made, reference: 'r', expiresAt: null });
});

test('a spend above the balance is rejected with both numbers, and nothing changes', () => {
  const ledger = open(lot('a', 2, null));
  expect(() => ledger.spend({ ...spend, amount: 3 })).toThrow(
    expect.objectContaining({
      code: 'insufficient_tokens',
      message: 'This costs 3 token(s), but your balance is 2.',
    }),
  );
  expect([ledger.newEntries, ledger.changedLots.size, ledger.changedAccounts.size]).toEqual([[], 0, 0]);
  expect(ledger.account(agentId)).toMatchObject({ balance: 2, lastSequence: 40 });
});

test('a refund with grace returns to its lots; tokens of lots that expired or expire within 7 days get 7 more days', () => {
  const weekMs = 7 * dayMs;
  const ledger = open(
    lot('gone', 0, -dayMs, 1),
    lot('at-week', 0, weekMs, 2),
    lot('past-week', 0, weekMs + 1, 4),
    lot('ever', 0, null, 8),
  );
  const entry = ledger.refund({
    spend: spendOf({ gone: 1, 'at-week': 2, 'past-week': 4, ever: 8 }),
    reason: 'failed',
    hasGrace: true,
  });
  const lots = ledger.account(agentId).lots;
  const made = [...lots.values()].at(-1)!;
  expect(made).toMatchObject({ amount: 3, remaining: 3, expiresAt: after(weekMs) });
  expect(entry).toMatchObject({
    kind: 'refund',
    amount: 15,
    balanceAfter: 15,
    reference: 'redemption',
    source: '',
    expiresAt: made.expiresAt,
  });
  expect([...lots.values()].map(({ remaining }) => remaining)).toEqual([0, 0, 4, 8, 3]);
  expect(entry.lots).toEqual([
    { lotId: 'past-week', amount: 4 },
    { lotId: 'ever', amount: 8 },
    { lotId: made.id, amount: 3 },
  ]);
});

test('without grace, tokens return to their lots, and those of lots that have ended expire at once', () => {
  const ledger = open(lot('gone', 0, -1, 1), lot('soon', 0, 1, 2));
  const refund = ledger.refund({ spend: spendOf({ gone: 1, soon: 2 }), reason: '', hasGrace: false });
  expect(refund).toMatchObject({ kind: 'refund', amount: 3, balanceAfter: 3, expiresAt: null });
  const [, expiry, ...more] = ledger.newEntries;
  expect(expiry).toMatchObject({ kind: 'expiry', amount: -1, balanceAfter: 2, expiresAt: after(-1) });
  expect(more).toEqual([]);
  expect(ledger.account(agentId).lots.get('soon')).toMatchObject({ remaining: 2 });
});

test('grace is given once: tokens that have had it return to their lots', () => {
  const ledger = open({ ...lot('extended', 0, dayMs, 2), hadGrace: true }, lot('first', 0, dayMs, 3));
  ledger.refund({ spend: spendOf({ extended: 2, first: 3 }), reason: '', hasGrace: true });
  const left = [...ledger.account(agentId).lots.values()].filter(({ remaining }) => remaining > 0);
  expect(left).toMatchObject([
    { id: 'extended', remaining: 2, hadGrace: true },
    { remaining: 3, expiresAt: after(7 * dayMs), hadGrace: true },
  ]);
});

test('a payment keeps the expiry of its tokens: the first payee gets those that expire first', () => {
  const lots = [lot('gone', 0, -1, 1), lot('soon', 0, hourMs, 3), lot('ever', 0, null, 6)];
  const payees = ['builder', 'reviewer'];
  const empty = payees.map((id) => [id, { ...accountOf([]), agentId: id }] as const);
  const ledger = new Ledger(now, new Map([[agentId, accountOf(lots)], ...empty]));
  const paid = ledger.pay({
    spend: spendOf({ gone: 1, soon: 3, ever: 6 }),
    payments: [
      { agentId: 'builder', amount: 8, reason: '', source: 'implementer' },
      { agentId: 'reviewer', amount: 2, reason: '', source: 'reviewer' },
    ],
  });
  expect(paid).toMatchObject([
    { kind: 'grant', amount: 8, reference: 'redemption', expiresAt: after(-1) },
    { kind: 'grant', amount: 2, reference: 'redemption', expiresAt: null },
  ]);
  const held = (id: string) =>
    [...ledger.account(id).lots.values()].map(({ remaining, expiresAt }) => [remaining, expiresAt]);
  expect(held('builder')).toEqual([
    [0, after(-1)],
    [3, after(hourMs)],
    [4, null],
  ]);
  expect(held('reviewer')).toEqual([[2, null]]);
  expect([ledger.account('builder').balance, ledger.account('reviewer').balance]).toEqual([7, 2]);
  expect(ledger.newEntries.map(({ kind }) => kind)).toEqual(['grant', 'grant', 'expiry']);
});

test('lots that expire at the same instant are spent in id order', () => {
  const ids = ['a', 'b', 'c', 'd'];
  for (const order of [ids, ids.toReversed(), ['b', 'd', 'a', 'c'], ['c', 'a', 'd', 'b']]) {
    const ledger = open(...order.map((id) => lot(id, 1, hourMs)));
    expect(ledger.spend({ ...spend, amount: 4 }).lots.map(({ lotId }) => lotId)).toEqual(ids);
  }
});

test('bugs stop before they are written: lots that do not add up, an overfull lot, an empty lot, an account not opened', () => {
  const wrong = { ...accountOf([lot('a', 2, null)]), balance: 3 };
  expect(() => new Ledger(now, new Map([[agentId, wrong]]))).toThrow('hold 2, its balance is 3');
  const ledger = open(lot('a', 2, null));
  const refund = (spend: LedgerEntry) => () => ledger.refund({ spend, reason: '', hasGrace: true });
  expect(refund(spendOf({ a: 1 }))).toThrow('between 0 and its amount');
  expect(refund(spendOf({ unknown: 1 }))).toThrow('was opened with');
  expect(refund({ ...spendOf({ a: 1 }), kind: 'grant' })).toThrow('Only a spend');
  const grant = { agentId, reason: '', reference: null, expiresAt: null };
  for (const amount of [0, -1, 0.5, Number.NaN, 2 ** 53]) {
    expect(() => open().grant({ ...grant, amount })).toThrow('positive whole number');
    expect(() => open(lot('a', 2, null)).spend({ ...spend, amount })).toThrow();
  }
  const full = open(lot('a', 2 ** 53 - 1, null));
  expect(() => full.grant({ ...grant, amount: 1 })).toThrow('never negative');
  expect(() => ledger.account('a stranger')).toThrow('is open');
});

test('the free run is used once and returned only by its redemption', () => {
  const ledger = open();
  expect(ledger.takeFreeRun('freeEvalRedemptionId', agentId, 'one')).toBe(true);
  expect(ledger.takeFreeRun('freeEvalRedemptionId', agentId, 'two')).toBe(false);
  expect(() => ledger.returnFreeRun('freeEvalRedemptionId', agentId, 'two')).toThrow('holds the free run');
  ledger.changedAccounts.clear();
  ledger.returnFreeRun('freeEvalRedemptionId', agentId, 'one');
  expect([...ledger.changedAccounts]).toEqual([ledger.account(agentId)]);
  expect(ledger.takeFreeRun('freeEvalRedemptionId', agentId, 'two')).toBe(true);
  expect(ledger.newEntries).toEqual([]);
});
