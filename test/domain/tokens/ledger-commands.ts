/**
 * The steps of random ledger histories. The hub and the model each take a step, then the two are compared.
 */
import { expect } from 'bun:test';
import fc from 'fast-check';
import { isUniqueViolation } from '#db/errors.ts';
import { withTransaction } from '#domain/context.ts';
import { DomainError } from '#domain/errors.ts';
import { grantTokens } from '#domain/tokens/grant-tokens.ts';
import type { Ledger } from '#domain/tokens/ledger.ts';
import { findSpends, openLedger, saveLedger } from '#domain/tokens/ledger-store.ts';
import { settleExpiries } from '#domain/tokens/settle-expiries.ts';
import { expectLedgersEqual, type RealLedger } from './expect-ledgers-equal.ts';
import type { LedgerModel, ModelSpend } from './ledger-model.ts';

export const agentCount = 3;
const hourMs = 60 * 60 * 1_000;
const dayMs = 24 * hourMs;

/** A redemption id or reference not used by any other run. */
function newReference(): string {
  return Bun.randomUUIDv7();
}

abstract class Step implements fc.AsyncCommand<LedgerModel, RealLedger> {
  check(_model: Readonly<LedgerModel>): boolean {
    return true;
  }
  async run(model: LedgerModel, real: RealLedger): Promise<void> {
    await this.take(model, real);
    await expectLedgersEqual(model, real);
  }
  protected abstract take(model: LedgerModel, real: RealLedger): Promise<void>;
}

/** A maintainer's grant, sometimes repeated with the same reference, even for another agent. */
class Grant extends Step {
  readonly agent: number;
  readonly amount: number;
  readonly livesMs: number | null;
  readonly referenced: boolean;
  constructor(agent: number, amount: number, livesMs: number | null, referenced: boolean) {
    super();
    this.agent = agent;
    this.amount = amount;
    this.livesMs = livesMs;
    this.referenced = referenced;
  }

  protected override async take(model: LedgerModel, { agents, maintainer }: RealLedger): Promise<void> {
    const reference = this.referenced ? newReference() : null;
    const expiresAtMs = this.livesMs === null ? null : model.nowMs + this.livesMs;
    const input = {
      handle: agents[this.agent]!.handle,
      amount: this.amount,
      reason: 'for a test',
      expiresAt: expiresAtMs === null ? null : new Date(expiresAtMs),
      reference,
    };
    model.settle(this.agent);
    model.grant(this.agent, this.amount, expiresAtMs, reference);
    const first = await grantTokens(maintainer, input);
    expect(first).toMatchObject({ granted: true, balance: model.balance(this.agent) });
    if (reference === null) return;
    const again = await grantTokens(maintainer, input);
    expect(again).toEqual({ ...first, granted: false });
    const stranger = agents[(this.agent + 1) % agentCount]!.handle;
    await expect(grantTokens(maintainer, { ...input, handle: stranger })).rejects.toMatchObject({
      code: 'conflict',
    });
  }

  override toString(): string {
    return `grant ${this.amount} to ${this.agent} for ${this.livesMs ?? 'ever'}${this.referenced ? ', referenced' : ''}`;
  }
}

type Move =
  | { readonly kind: 'spend'; readonly agent: number; readonly amount: number }
  | { readonly kind: 'refund'; readonly pick: number; readonly hasGrace: boolean }
  | { readonly kind: 'pay'; readonly pick: number; readonly to: number }
  | { readonly kind: 'takeFree'; readonly agent: number }
  | { readonly kind: 'returnFree'; readonly agent: number };

/** Several moves over several accounts in one transaction, like the hub's batches. */
class Work extends Step {
  readonly moves: readonly Move[];
  constructor(moves: readonly Move[]) {
    super();
    this.moves = moves;
  }

  protected override async take(model: LedgerModel, { ctx, agents }: RealLedger): Promise<void> {
    // Refund only spends of earlier transactions, each once.
    const open = model.spends.filter((spend) => !spend.refunded && !spend.paid);
    const refunds = new Map<Move, ModelSpend>();
    for (const move of this.moves) {
      if ((move.kind !== 'refund' && move.kind !== 'pay') || open.length === 0) continue;
      const [spend] = open.splice(move.pick % open.length, 1);
      refunds.set(move, spend!);
    }
    await withTransaction(ctx, async (inner) => {
      const spends = await findSpends(
        inner,
        [...refunds.values()].map((spend) => spend.reference),
      );
      const ledger = await openLedger(inner, { agentIds: agents.map((agent) => agent.id), spends });
      for (let agent = 0; agent < agentCount; agent += 1) model.settle(agent);
      for (const move of this.moves) {
        switch (move.kind) {
          case 'spend':
            spendBoth(model, ledger, move, agents[move.agent]!.id);
            break;
          case 'refund': {
            const spend = refunds.get(move);
            if (spend === undefined) break;
            const real = spends.find((entry) => entry.reference === spend.reference);
            ledger.refund({ spend: real!, reason: 'for a test', hasGrace: move.hasGrace });
            model.refund(spend, move.hasGrace);
            break;
          }
          case 'pay': {
            const spend = refunds.get(move);
            if (spend === undefined) break;
            const real = spends.find((entry) => entry.reference === spend.reference);
            const second = (move.to + 1) % agentCount;
            const shares = [
              { to: move.to, source: 'implementer', amount: Math.ceil(spend.amount / 2) },
              { to: second, source: 'reviewer', amount: Math.floor(spend.amount / 2) },
            ] as const;
            const payments = shares
              .filter(({ amount }) => amount > 0)
              .map(({ to, ...share }) => ({ ...share, agentId: agents[to]!.id, reason: 'for a test' }));
            ledger.pay({ spend: real!, payments });
            model.pay(
              spend,
              shares.filter(({ amount }) => amount > 0),
            );
            break;
          }
          case 'takeFree': {
            const reference = newReference();
            const account = model.account(move.agent);
            const taken = ledger.takeFreeRun('freeEvalRedemptionId', agents[move.agent]!.id, reference);
            expect(taken).toBe(account.freeRunHolder === null);
            account.freeRunHolder ??= reference;
            break;
          }
          case 'returnFree': {
            const account = model.account(move.agent);
            if (account.freeRunHolder === null) break;
            ledger.returnFreeRun('freeEvalRedemptionId', agents[move.agent]!.id, account.freeRunHolder);
            account.freeRunHolder = null;
            break;
          }
        }
      }
      await saveLedger(inner, ledger);
    });
  }

  override toString(): string {
    return `work ${JSON.stringify(this.moves)}`;
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

/**
 * A second spend or refund with the same reference is rejected by the store and rolls back its transaction.
 */
class Repeat extends Step {
  readonly pick: number;
  constructor(pick: number) {
    super();
    this.pick = pick;
  }
  override check(model: Readonly<LedgerModel>): boolean {
    return model.spends.length > 0;
  }

  protected override async take(model: LedgerModel, { ctx, agents }: RealLedger): Promise<void> {
    const { reference, agent, refunded } = model.spends[this.pick % model.spends.length]!;
    const agentId = agents[agent]!.id;
    if (refunded) {
      const refundAgain = withTransaction(ctx, async (inner) => {
        const spends = await findSpends(inner, [reference]);
        const ledger = await openLedger(inner, { agentIds: [agentId], spends });
        ledger.refund({ spend: spends[0]!, reason: 'once more', hasGrace: true });
        await saveLedger(inner, ledger);
      });
      // If the lots are full, the ledger itself notices; the index is the fallback.
      await expect(refundAgain).rejects.toThrow();
    }
    if (model.balance(agent) === 0) return;
    const spendAgain = withTransaction(ctx, async (inner) => {
      const ledger = await openLedger(inner, { agentIds: [agentId] });
      ledger.spend({ agentId, amount: 1, reason: 'once more', reference });
      await saveLedger(inner, ledger);
    });
    expect(isUniqueViolation(await spendAgain.catch((error: unknown) => error))).toBe(true);
  }

  override toString(): string {
    return `repeat ${this.pick}`;
  }
}

/** Runs the sweeper until nothing is left to settle. */
class Sweep extends Step {
  protected override async take(model: LedgerModel, { ctx }: RealLedger): Promise<void> {
    while ((await settleExpiries(ctx)) > 0);
    for (let agent = 0; agent < agentCount; agent += 1) model.settle(agent);
  }

  override toString(): string {
    return 'sweep';
  }
}

type Passing = { readonly ms: number } | { readonly beyondNextExpiryMs: number };

/** Advances the clock by some amount, or exactly to the next expiry. */
class Pass extends Step {
  readonly passing: Passing;
  constructor(passing: Passing) {
    super();
    this.passing = passing;
  }

  protected override async take(model: LedgerModel, { ctx }: RealLedger): Promise<void> {
    const target =
      'ms' in this.passing
        ? model.nowMs + this.passing.ms
        : (model.soonestExpiryMs() ?? model.nowMs) + this.passing.beyondNextExpiryMs;
    model.nowMs = Math.max(model.nowMs, target);
    ctx.clock.set(new Date(model.nowMs));
  }

  override toString(): string {
    return `pass ${JSON.stringify(this.passing)}`;
  }
}

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
    .map((args) => new Grant(...args)),
  fc.array(move, { minLength: 1, maxLength: 4 }).map((moves) => new Work(moves)),
  fc.array(move, { minLength: 1, maxLength: 4 }).map((moves) => new Work(moves)),
  passing.map((drawn) => new Pass(drawn)),
  fc.nat({ max: 50 }).map((pick) => new Repeat(pick)),
  fc.constant(new Sweep()),
];
