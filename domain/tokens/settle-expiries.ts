/** Writes the expiry entries of expired lots that no request has settled yet. The sweeper calls this. */
import { and, asc, eq, isNotNull, lte } from 'drizzle-orm';
import { hasTokensLeft } from '#db/schema/index-conditions.ts';
import { type Ctx, withTransaction } from '../context.ts';
import { openLedger, saveLedger } from './ledger-store.ts';

const accountsAtOnceMax = 100;

/** @returns the number of accounts settled, at most 100 per call; call again until it is 0 */
export async function settleExpiries(ctx: Ctx): Promise<number> {
  return withTransaction(ctx, async (inner) => {
    const { tokenLots } = inner.db.tables;
    const due = await inner.db.query
      .selectDistinct({ agentId: tokenLots.agentId })
      .from(tokenLots)
      .where(
        and(
          hasTokensLeft(tokenLots),
          isNotNull(tokenLots.expiresAt),
          lte(tokenLots.expiresAt, inner.clock.now()),
        ),
      )
      .orderBy(asc(tokenLots.agentId))
      .limit(accountsAtOnceMax);
    if (due.length === 0) return 0;
    // Opening a ledger settles due expiries.
    const ledger = await openLedger(inner, { agentIds: due.map((row) => row.agentId) });
    await saveLedger(inner, ledger);
    return due.length;
  });
}

/** Writes the expiry entries of one agent's expired lots. Costs one small read if there are none. */
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
