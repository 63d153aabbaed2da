/** Single moves of the ledger, for tests that are about what follows from them. */
import { type Ctx, withTransaction } from '#domain/context.ts';
import type { LedgerEntry } from '#domain/tokens/ledger.ts';
import { openLedger, saveLedger } from '#domain/tokens/ledger-store.ts';

const reason = 'for a test';

/** Grants each amount as a lot of its own, in one transaction. */
export async function grantLots(
  ctx: Ctx,
  agentId: string,
  lots: readonly (readonly [amount: number, expiresAt: Date | null])[],
): Promise<void> {
  await withTransaction(ctx, async (inner) => {
    const ledger = await openLedger(inner, { agentIds: [agentId] });
    for (const [amount, expiresAt] of lots)
      ledger.grant({ agentId, amount, reason, reference: null, expiresAt });
    await saveLedger(inner, ledger);
  });
}

export async function spendTokens(
  ctx: Ctx,
  agentId: string,
  amount: number,
  reference: string = Bun.randomUUIDv7(),
): Promise<LedgerEntry> {
  return withTransaction(ctx, async (inner) => {
    const ledger = await openLedger(inner, { agentIds: [agentId] });
    const entry = ledger.spend({ agentId, amount, reason, reference });
    await saveLedger(inner, ledger);
    return entry;
  });
}
