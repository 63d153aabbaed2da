/** Moves of the ledger in one transaction, for tests that are about what follows from them. */
import { type Ctx, withTransaction } from '#domain/context.ts';
import type { Ledger, LedgerEntry } from '#domain/tokens/ledger.ts';
import { openLedger, saveLedger } from '#domain/tokens/ledger-store.ts';

const reason = 'for a test';

export function inLedger<Made>(
  ctx: Ctx,
  opening: Parameters<typeof openLedger>[1],
  move: (ledger: Ledger) => Made,
): Promise<Made> {
  return withTransaction(ctx, async (inner) => {
    const ledger = await openLedger(inner, opening);
    const made = move(ledger);
    await saveLedger(inner, ledger);
    return made;
  });
}

/** Grants each amount as a lot of its own. */
export async function grantLots(
  ctx: Ctx,
  agentId: string,
  lots: readonly (readonly [amount: number, expiresAt: Date | null])[],
): Promise<void> {
  await inLedger(ctx, { agentIds: [agentId] }, (ledger) => {
    for (const [amount, expiresAt] of lots)
      ledger.grant({ agentId, amount, reason, reference: null, expiresAt });
  });
}

export function spendTokens(
  ctx: Ctx,
  agentId: string,
  amount: number,
  reference: string = Bun.randomUUIDv7(),
): Promise<LedgerEntry> {
  return inLedger(ctx, { agentIds: [agentId] }, (ledger) =>
    ledger.spend({ agentId, amount, reason, reference }),
  );
}

export async function refundSpend(ctx: Ctx, spend: LedgerEntry): Promise<void> {
  await inLedger(ctx, { agentIds: [spend.agentId], spends: [spend] }, (ledger) =>
    ledger.refund({ spend, reason, hasGrace: true }),
  );
}
