import type { TransactionCtx } from '../context.ts';
import { openLedger } from '../tokens/open-ledger.ts';
import { saveLedger } from '../tokens/save-ledger.ts';

/** Writes off the balance of a closed account. */
export async function expireBalance(ctx: TransactionCtx, agentId: string): Promise<void> {
  const ledger = await openLedger(ctx, { agentIds: [agentId] });
  ledger.expireAll(agentId, 'Account closed');
  await saveLedger(ctx, ledger);
}
