/** Writes the expiry entries of one agent's expired lots. Costs one small read if there are none. */
import { and, eq, lte } from 'drizzle-orm';
import { hasTokensLeft } from '#db/schema/index-conditions.ts';
import { type Ctx, withTransaction } from '../context.ts';
import { openLedger } from './open-ledger.ts';
import { saveLedger } from './save-ledger.ts';

export async function settleAgentExpiries(ctx: Ctx, agentId: string): Promise<void> {
  const { tokenLots } = ctx.db.tables;
  const due = await ctx.db.query
    .select({ id: tokenLots.id })
    .from(tokenLots)
    .where(
      and(
        eq(tokenLots.agentId, agentId),
        hasTokensLeft(tokenLots),
        lte(tokenLots.expiresAt, ctx.clock.now()),
      ),
    )
    .limit(1);
  if (due.length === 0) return;
  await withTransaction(ctx, async (inner) => {
    // Opening a ledger settles due expiries.
    await saveLedger(inner, await openLedger(inner, { agentIds: [agentId] }));
  });
}
