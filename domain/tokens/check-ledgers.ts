/**
 * The sweeper's look at the ledger: a few accounts at a time, cheap enough to go on for ever. That every entry adds up is
 * for an audit; here it is asked whether balance, lots and the last entry agree, which any lost or doubled write breaks.
 */
import { and, asc, eq, gt, sql } from 'drizzle-orm';
import type { Ctx } from '../context.ts';

const checkedAtOnceMax = 200;

export interface CheckLedgersInput {
  /** The last account of the call before; null begins a new pass. */
  readonly after: string | null;
}

export interface CheckedLedgers {
  readonly checked: number;
  /** Agents whose account does not agree with itself, and by how many tokens. */
  readonly mismatches: readonly { readonly agentId: string; readonly tokens: number }[];
  /** Where to go on; null: that was the last of them. */
  readonly last: string | null;
}

/** Looks at up to 200 accounts in one statement, and so at one moment. */
export async function checkLedgers({ db }: Ctx, { after }: CheckLedgersInput): Promise<CheckedLedgers> {
  const { tokenAccounts, tokenLots, tokenEntries } = db.tables;
  const rows = await db.query
    .select({
      agentId: tokenAccounts.agentId,
      balance: tokenAccounts.balance,
      lots: sql`(select coalesce(sum(${tokenLots.remaining}), 0) from ${tokenLots}
        where ${tokenLots.agentId} = ${tokenAccounts.agentId} and ${tokenLots.remaining} > 0)`.mapWith(
        Number,
      ),
      // Missing when the entry is: then the account counts one that nobody has written.
      entered: tokenEntries.balanceAfter,
      beyond: sql`(select count(*) from ${tokenEntries}
        where ${tokenEntries.agentId} = ${tokenAccounts.agentId}
          and ${tokenEntries.sequence} > ${tokenAccounts.lastSequence})`.mapWith(Number),
      lastSequence: tokenAccounts.lastSequence,
    })
    .from(tokenAccounts)
    .leftJoin(
      tokenEntries,
      and(
        eq(tokenEntries.agentId, tokenAccounts.agentId),
        eq(tokenEntries.sequence, tokenAccounts.lastSequence),
      ),
    )
    .where(after === null ? undefined : gt(tokenAccounts.agentId, after))
    .orderBy(asc(tokenAccounts.agentId))
    .limit(checkedAtOnceMax);
  const mismatches = rows.flatMap((row) => {
    const entered = row.lastSequence === 0 ? 0 : row.entered;
    const tokens = Math.max(Math.abs(row.balance - row.lots), Math.abs(row.balance - (entered ?? 0)));
    const agrees = tokens === 0 && row.beyond === 0 && entered !== null;
    return agrees ? [] : [{ agentId: row.agentId, tokens }];
  });
  const last = rows.length < checkedAtOnceMax ? null : (rows.at(-1)?.agentId ?? null);
  return { checked: rows.length, mismatches, last };
}
