/**
 * Checks a few accounts at a time, cheap enough for the sweeper to run continuously. It compares balance,
 * lots and last entry, which catches any lost or duplicated write. An audit also adds up every entry.
 */
import { and, asc, eq, gt, sql } from 'drizzle-orm';
import type { Ctx } from '../context.ts';

const checkedAtOnceMax = 200;

export interface CheckLedgersInput {
  /** The last account of the previous call; null starts a new pass. */
  readonly after: string | null;
}

export interface CheckedLedgers {
  readonly checked: number;
  /** Agents whose balance, lots and entries disagree, and by how many tokens. */
  readonly mismatches: readonly { readonly agentId: string; readonly tokens: number }[];
  /** Pass as `after` to continue; null at the end of the pass. */
  readonly last: string | null;
}

/** Checks up to 200 accounts in one statement, so that all are read from one snapshot. */
export async function checkLedgers(
  { db }: Pick<Ctx, 'db'>,
  { after }: CheckLedgersInput,
): Promise<CheckedLedgers> {
  const { tokenAccounts, tokenLots, tokenEntries } = db.tables;
  const rows = await db.query
    .select({
      agentId: tokenAccounts.agentId,
      balance: tokenAccounts.balance,
      lots: sql`(select coalesce(sum(${tokenLots.remaining}), 0) from ${tokenLots}
        where ${tokenLots.agentId} = ${tokenAccounts.agentId} and ${tokenLots.remaining} > 0)`.mapWith(
        Number,
      ),
      // Null if the entry is missing, that is, the account counts an entry that was never written.
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
