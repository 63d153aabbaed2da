/**
 * The steps of random ledger histories. The hub and the model each take a step, then the two are compared.
 */
import { expect } from 'bun:test';
import fc from 'fast-check';
import { isUniqueViolation } from '#db/errors.ts';
import { type AgentCtx, withTransaction } from '#domain/context.ts';
import { DomainError } from '#domain/errors.ts';
import { grantTokens } from '#domain/tokens/grant-tokens.ts';
import type { Ledger } from '#domain/tokens/ledger.ts';
import { findSpends, openLedger, saveLedger } from '#domain/tokens/ledger-store.ts';
import { readBalances } from '#domain/tokens/read-balances.ts';
import { settleExpiries } from '#domain/tokens/settle-expiries.ts';
import type { TestAgent } from '#test/harness/agents.ts';
import type { TestCtx } from '#test/harness/ctx.ts';
import { expectSoundLedger } from './expect-sound-ledger.ts';
import type { LedgerModel, ModelLot, ModelSpend } from './ledger-model.ts';
import { refundSpend, spendTokens } from './moves.ts';

export const agentCount = 3;
const hourMs = 60 * 60 * 1_000;
const dayMs = 24 * hourMs;

/** The hub that the model predicts. */
interface RealLedger {
  readonly ctx: TestCtx;
  readonly agents: readonly TestAgent[];
  readonly maintainer: AgentCtx;
}

async function expectLedgersEqual(model: LedgerModel, { ctx, agents }: RealLedger): Promise<void> {
  const ids = agents.map(({ id }) => id);
  const balances = await readBalances(ctx.db, ids, ctx.clock.now());
  for (const [index, { id }] of agents.entries()) {
    const expected = model.account(index);
    const next = model.nextExpiry(index);
    expect(balances.get(id)).toEqual({
      agentId: id,
      balance: model.balance(index),
      held: 0,
      freeEvalAvailable: expected.freeRunHolder === null,
      freeAgentRunAvailable: true,
      freeSuiteRunAvailable: true,
      nextExpiry: next === null ? null : { amount: next.amount, at: new Date(next.atMs) },
    });
    const { account, lots, entries } = await expectSoundLedger(ctx.db, id);
    expect(account.freeEvalRedemptionId).toBe(expected.freeRunHolder);
    // The model does not know lot ids, which are the references of expiries.
    const known = entries.map((entry) => (entry.kind === 'expiry' ? { ...entry, reference: null } : entry));
    expect(known).toMatchObject([...expected.entries]);
    const held = lots.map((lot) => ({ ...lot, expiresAtMs: lot.expiresAt?.getTime() ?? null }));
    expect(sumByExpiry(held)).toEqual(sumByExpiry(expected.lots));
  }
}

/** The tokens left by when they expire, because the model may split lots differently. */
function sumByExpiry(lots: readonly ModelLot[]): readonly string[] {
  const left = lots.filter((lot) => lot.remaining > 0);
  const groups = Map.groupBy(
    left,
    ({ expiresAtMs, hadGrace }) => `until ${expiresAtMs ?? 'ever'}${hadGrace ? ', extended' : ''}`,
  );
  return [...groups]
    .map(([until, group]) => `${group.reduce((sum, { remaining }) => sum + remaining, 0)} ${until}`)
    .toSorted();
}

/** A redemption id or reference not used by any other run. */
const newReference = (): string => Bun.randomUUIDv7();

/** Takes a step, then compares the hub with the model. */
function stepOf(
  name: string,
  take: (model: LedgerModel, real: RealLedger) => Promise<void>,
  check: (model: Readonly<LedgerModel>) => boolean = () => true,
): fc.AsyncCommand<LedgerModel, RealLedger> {
  return {
    check,
    run: async (model, real) => {
      await take(model, real);
      await expectLedgersEqual(model, real);
    },
    toString: () => name,
  };
}

/** A maintainer's grant, sometimes repeated with the same reference, even for another agent. */
function grant(agent: number, amount: number, livesMs: number | null, referenced: boolean) {
  const name = `grant ${amount} to ${agent} for ${livesMs ?? 'ever'}${referenced ? ', referenced' : ''}`;
  return stepOf(name, async (model, { agents, maintainer }) => {
    const reference = referenced ? newReference() : null;
    const expiresAtMs = livesMs === null ? null : model.nowMs + livesMs;
    const expiresAt = expiresAtMs === null ? null : new Date(expiresAtMs);
    const input = { handle: agents[agent]!.handle, amount, reason: 'for a test', expiresAt, reference };
    model.settle(agent);
    model.grant(agent, amount, expiresAtMs, reference);
    const first = await grantTokens(maintainer, input);
    expect(first).toMatchObject({ granted: true, balance: model.balance(agent) });
    if (reference === null) return;
    const again = await grantTokens(maintainer, input);
    expect(again).toEqual({ ...first, granted: false });
    const stranger = agents[(agent + 1) % agentCount]!.handle;
    const forStranger = grantTokens(maintainer, { ...input, handle: stranger });
    await expect(forStranger).rejects.toMatchObject({ code: 'conflict' });
  });
}

type Move =
  | { readonly kind: 'spend'; readonly agent: number; readonly amount: number }
  | { readonly kind: 'refund'; readonly pick: number; readonly hasGrace: boolean }
  | { readonly kind: 'pay'; readonly pick: number; readonly to: number }
  | { readonly kind: 'takeFree'; readonly agent: number }
  | { readonly kind: 'returnFree'; readonly agent: number };

/** Several moves over several accounts in one transaction, like the hub's batches. */
function work(moves: readonly Move[]) {
  return stepOf(`work ${JSON.stringify(moves)}`, async (model, { ctx, agents }) => {
    // Refund only spends of earlier transactions, each once.
    const open = model.spends.filter((spend) => !spend.refunded && !spend.paid);
    const refunds = new Map<Move, ModelSpend>();
    for (const move of moves) {
      if ((move.kind !== 'refund' && move.kind !== 'pay') || open.length === 0) continue;
      const [spend] = open.splice(move.pick % open.length, 1);
      refunds.set(move, spend!);
    }
    await withTransaction(ctx, async (inner) => {
      const references = [...refunds.values()].map((spend) => spend.reference);
      const spends = await findSpends(inner, references);
      const ledger = await openLedger(inner, { agentIds: agents.map((agent) => agent.id), spends });
      for (let agent = 0; agent < agentCount; agent += 1) model.settle(agent);
      for (const move of moves) {
        const spend = refunds.get(move);
        const real = spends.find((entry) => entry.reference === spend?.reference)!;
        if (move.kind === 'spend') spendBoth(model, ledger, move, agents[move.agent]!.id);
        else if (move.kind === 'takeFree' || move.kind === 'returnFree')
          moveFreeRun(model, ledger, move, agents[move.agent]!.id);
        else if (spend === undefined) continue;
        else if (move.kind === 'refund') {
          ledger.refund({ spend: real, reason: 'for a test', hasGrace: move.hasGrace });
          model.refund(spend, move.hasGrace);
        } else {
          const shares = [
            { to: move.to, source: 'implementer', amount: Math.ceil(spend.amount / 2) },
            { to: (move.to + 1) % agentCount, source: 'reviewer', amount: Math.floor(spend.amount / 2) },
          ] as const;
          const paid = shares.filter(({ amount }) => amount > 0);
          const payments = paid.map(({ to, ...share }) => ({
            ...share,
            agentId: agents[to]!.id,
            reason: 'for a test',
          }));
          ledger.pay({ spend: real, payments });
          model.pay(spend, paid);
        }
      }
      await saveLedger(inner, ledger);
    });
  });
}

function moveFreeRun(
  model: LedgerModel,
  ledger: Ledger,
  { kind, agent }: { kind: 'takeFree' | 'returnFree'; agent: number },
  agentId: string,
): void {
  const account = model.account(agent);
  const holder = account.freeRunHolder;
  if (kind === 'takeFree') {
    const reference = newReference();
    expect(ledger.takeFreeRun('freeEvalRedemptionId', agentId, reference)).toBe(holder === null);
    account.freeRunHolder ??= reference;
  } else if (holder !== null) {
    ledger.returnFreeRun('freeEvalRedemptionId', agentId, holder);
    account.freeRunHolder = null;
  }
}

function spendBoth(
  model: LedgerModel,
  ledger: Ledger,
  { agent, amount }: { agent: number; amount: number },
  agentId: string,
): void {
  const reference = newReference();
  let spent = true;
  try {
    ledger.spend({ agentId, amount, reason: 'for a test', reference });
  } catch (error) {
    expect(error).toBeInstanceOf(DomainError);
    expect(error).toMatchObject({ code: 'insufficient_tokens' });
    spent = false;
  }
  expect(spent).toBe(model.spend(agent, amount, reference));
}

/** A second spend or refund with the same reference is rejected by the store and rolls back its transaction. */
function repeat(pick: number) {
  const take = async (model: LedgerModel, { ctx, agents }: RealLedger): Promise<void> => {
    const { reference, agent, refunded } = model.spends[pick % model.spends.length]!;
    const agentId = agents[agent]!.id;
    if (refunded) {
      const [spend] = await withTransaction(ctx, (inner) => findSpends(inner, [reference]));
      const refundAgain = refundSpend(ctx, spend!);
      // If the lots are full, the ledger itself notices; the index is the fallback.
      await expect(refundAgain).rejects.toThrow();
    }
    if (model.balance(agent) === 0) return;
    const spendAgain = spendTokens(ctx, agentId, 1, reference);
    expect(isUniqueViolation(await spendAgain.catch((error: unknown) => error))).toBe(true);
  };
  return stepOf(`repeat ${pick}`, take, ({ spends }) => spends.length > 0);
}

/** Runs the sweeper until nothing is left to settle. */
const sweep = stepOf('sweep', async (model, { ctx }) => {
  while ((await settleExpiries(ctx)) > 0);
  for (let agent = 0; agent < agentCount; agent += 1) model.settle(agent);
});

type Passing = { readonly ms: number } | { readonly beyondNextExpiryMs: number };

/** Advances the clock by some amount, or exactly to the next expiry. */
const pass = (passing: Passing) =>
  stepOf(`pass ${JSON.stringify(passing)}`, async (model, { ctx }) => {
    const target =
      'ms' in passing
        ? model.nowMs + passing.ms
        : (model.soonestExpiryMs() ?? model.nowMs) + passing.beyondNextExpiryMs;
    model.nowMs = Math.max(model.nowMs, target);
    ctx.clock.set(new Date(model.nowMs));
  });

const agent = fc.nat({ max: agentCount - 1 });
const livesMs = fc.oneof(
  fc.constantFrom(1, hourMs, dayMs, 7 * dayMs, 7 * dayMs + 1, 8 * dayMs, 30 * dayMs),
  fc.integer({ min: 1, max: 20 * dayMs }),
);
const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('spend'), agent, amount: fc.integer({ min: 1, max: 15 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('refund'), pick: fc.nat({ max: 50 }), hasGrace: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pay'), pick: fc.nat({ max: 50 }), to: agent }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('takeFree'), agent }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('returnFree'), agent }) },
) as fc.Arbitrary<Move>; // Each record is one variant of the union.
const passing: fc.Arbitrary<Passing> = fc.oneof(
  fc.record({ ms: fc.constantFrom(0, 1, hourMs, dayMs, 6 * dayMs, 7 * dayMs, 10 * dayMs) }),
  fc.record({ beyondNextExpiryMs: fc.constantFrom(-7 * dayMs, -1, 0, 1) }),
);

export const steps = [
  fc
    .tuple(agent, fc.integer({ min: 1, max: 20 }), fc.option(livesMs, { freq: 4 }), fc.boolean())
    .map((args) => grant(...args)),
  fc.array(move, { minLength: 1, maxLength: 4 }).map(work),
  fc.array(move, { minLength: 1, maxLength: 4 }).map(work),
  passing.map(pass),
  fc.nat({ max: 50 }).map(repeat),
  fc.constant(sweep),
];
