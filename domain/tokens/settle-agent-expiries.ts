/** Writes the entries for an agent's lots that are past their time, if there are any; one small read otherwise. */
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
    // Opening a ledger settles what is due.
    await saveLedger(inner, await openLedger(inner, { agentIds: [agentId] }));
  });
}
