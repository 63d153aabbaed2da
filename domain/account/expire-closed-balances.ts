/**
 * Writes off tokens that reach a closed account later, such as refunds of seats. The sweeper calls this.
 */
import { and, eq, gt, isNotNull } from 'drizzle-orm';
import { type Ctx, withTransaction } from '../context.ts';
import { expireBalance } from './expire-balance.ts';

const accountsAtOnceMax = 100;

/** @returns the number of accounts that were written off */
export async function expireClosedBalances(ctx: Ctx): Promise<number> {
  const { agents, tokenAccounts } = ctx.db.tables;
  const found = await ctx.db.query
    .select({ id: agents.id })
    .from(agents)
    .innerJoin(tokenAccounts, eq(tokenAccounts.agentId, agents.id))
    .where(and(isNotNull(agents.closedAt), gt(tokenAccounts.balance, 0)))
    .limit(accountsAtOnceMax);
  for (const { id } of found) await withTransaction(ctx, (inner) => expireBalance(inner, id));
  return found.length;
}
