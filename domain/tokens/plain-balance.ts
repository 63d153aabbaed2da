/**
 * The balance of agents of which no tokens are held or expire, as columns beside their accounts. Other balances take
 * {@link readBalances}, which costs as much as the look-up of a bearer token.
 */
import { and, eq, exists, isNotNull, type SQL, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { hasTokensLeft, isOpenRun } from '#db/schema/index-conditions.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import type { TokenBalance } from './read-balances.ts';

/** The values of {@link plainBalanceColumns}. */
export interface PlainBalanceRow {
  readonly accountAgentId: string;
  readonly entered: number;
  readonly isPlain: boolean;
  readonly freeEvalRedemptionId: string | null;
  readonly freeAgentRunRedemptionId: string | null;
  readonly freeSuiteRunRedemptionId: string | null;
}

/** @returns null if tokens of the agent are held or expire */
export function plainBalanceOf(row: PlainBalanceRow): TokenBalance | null {
  if (!row.isPlain) return null;
  return {
    agentId: row.accountAgentId,
    balance: row.entered,
    held: 0,
    freeEvalAvailable: row.freeEvalRedemptionId === null,
    freeAgentRunAvailable: row.freeAgentRunRedemptionId === null,
    freeSuiteRunAvailable: row.freeSuiteRunRedemptionId === null,
    nextExpiry: null,
  };
}

/** For queries that read `token_accounts`. */
export function plainBalanceColumns(db: Database) {
  const { tokenAccounts, tokenLots, runs } = db.tables;
  const expires = and(hasTokensLeft(tokenLots), isNotNull(tokenLots.expiresAt));
  const hasExpiring = belongsTo(db, tokenLots, expires);
  const hasRuns = belongsTo(db, runs, isOpenRun(runs));
  return {
    accountAgentId: sql<string>`${tokenAccounts.agentId}`.as('account_agent_id'),
    entered: sql`${tokenAccounts.balance}`.mapWith(Number).as('entered'),
    isPlain: sql`not (${hasExpiring} or ${hasRuns})`.mapWith(Boolean).as('is_plain'),
    freeEvalRedemptionId: sql<string | null>`${tokenAccounts.freeEvalRedemptionId}`.as('free_eval'),
    freeAgentRunRedemptionId: sql<string | null>`${tokenAccounts.freeAgentRunRedemptionId}`.as(
      'free_agent_run',
    ),
    freeSuiteRunRedemptionId: sql<string | null>`${tokenAccounts.freeSuiteRunRedemptionId}`.as(
      'free_suite_run',
    ),
  };
}

/** Whether a row of the agent meets the condition of a small index. */
function belongsTo(
  { query, tables }: Database,
  table: Tables['tokenLots'] | Tables['runs'],
  condition: SQL | undefined,
): SQL {
  const { tokenAccounts } = tables;
  return exists(
    query
      .select({ found: sql`1` })
      .from(table)
      .where(and(eq(table.agentId, tokenAccounts.agentId), condition)),
  );
}
