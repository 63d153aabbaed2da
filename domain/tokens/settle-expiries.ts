/** Writes the expiry entries of expired lots that no request has settled yet. The sweeper calls this. */
import { and, asc, isNotNull, lte } from 'drizzle-orm';
import { hasTokensLeft } from '#db/schema/index-conditions.ts';
import { type Ctx, withTransaction } from '../context.ts';
import { openLedger } from './open-ledger.ts';
import { saveLedger } from './save-ledger.ts';

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
