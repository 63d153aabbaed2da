/** Compares the stored ledgers with the model's and checks the invariants of any ledger. */
import { expect } from 'bun:test';
import type { AgentCtx } from '#domain/context.ts';
import { readBalances } from '#domain/tokens/read-balances.ts';
import type { TestAgent } from '#test/harness/agents.ts';
import type { TestCtx } from '#test/harness/ctx.ts';
import { expectSoundLedger } from './expect-sound-ledger.ts';
import type { LedgerModel, ModelLot } from './ledger-model.ts';

export interface RealLedger {
  readonly ctx: TestCtx;
  readonly agents: readonly TestAgent[];
  readonly maintainer: AgentCtx;
}

export async function expectLedgersEqual(model: LedgerModel, { ctx, agents }: RealLedger): Promise<void> {
  const balances = await readBalances(
    ctx.db,
    agents.map((agent) => agent.id),
    ctx.clock.now(),
  );
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
    expect(
      entries.map(({ kind, amount, balanceAfter, reference }) => ({
        kind,
        amount,
        balanceAfter,
        reference: kind === 'expiry' ? null : reference,
      })),
    ).toEqual([...expected.entries]);
    const held = lots.map((lot) => ({ ...lot, expiresAtMs: lot.expiresAt?.getTime() ?? null }));
    expect(sumByExpiry(held)).toEqual(sumByExpiry(expected.lots));
  }
}

/** The tokens left by when they expire, because the model may split lots differently. */
export function sumByExpiry(lots: readonly ModelLot[]): readonly string[] {
  const left = lots.filter((lot) => lot.remaining > 0);
  const groups = Map.groupBy(
    left,
    ({ expiresAtMs, hadGrace }) => `until ${expiresAtMs ?? 'ever'}${hadGrace ? ', extended' : ''}`,
  );
  return [...groups]
    .map(([until, group]) => `${group.reduce((sum, { remaining }) => sum + remaining, 0)} ${until}`)
    .toSorted();
}
