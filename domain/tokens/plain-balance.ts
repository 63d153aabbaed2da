/**
 * The balance of agents of which no tokens expire, as columns beside their accounts. Other balances take
 * {@link readBalances}, which costs as much as the look-up of a bearer token.
 */
import { and, eq, exists, isNotNull, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { hasTokensLeft, isOpenRun } from '#db/schema/index-conditions.ts';
import { availableOf, type FreeRuns, freeRunColumns } from './free-runs.ts';
import type { TokenBalance } from './read-balances.ts';

/** The values of {@link plainBalanceColumns}. */
export interface PlainBalanceRow extends FreeRuns {
  readonly accountAgentId: string;
  readonly entered: number;
  readonly held: number;
  readonly isPlain: boolean;
}

/** @returns null if tokens of the agent expire */
export function plainBalanceOf(row: PlainBalanceRow): TokenBalance | null {
  if (!row.isPlain) return null;
  return {
    agentId: row.accountAgentId,
    balance: row.entered,
    held: row.held,
    ...availableOf(row),
    nextExpiry: null,
  };
}

/** For queries that read `token_accounts`. */
export function plainBalanceColumns({ query, tables }: Database) {
  const { tokenAccounts, tokenLots, runs } = tables;
  const expiring = query
    .select({ found: sql`1` })
    .from(tokenLots)
    .where(
      and(
        eq(tokenLots.agentId, tokenAccounts.agentId),
        hasTokensLeft(tokenLots),
        isNotNull(tokenLots.expiresAt),
      ),
    );
  const held = query
    .select({ tokens: sql`coalesce(sum(${runs.chargeTokens}), 0)` })
    .from(runs)
    .where(and(eq(runs.agentId, tokenAccounts.agentId), isOpenRun(runs)));
  return {
    accountAgentId: sql<string>`${tokenAccounts.agentId}`.as('account_agent_id'),
    entered: sql`${tokenAccounts.balance}`.mapWith(Number).as('entered'),
    held: sql`(${held})`.mapWith(Number).as('held'),
    isPlain: sql`not ${exists(expiring)}`.mapWith(Boolean).as('is_plain'),
    ...freeRunColumns(tokenAccounts),
  };
}
