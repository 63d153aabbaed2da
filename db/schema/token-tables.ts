/** The token ledger: one account per agent, lots that expire, and entries that are only added. */
import { isNotNull, sql } from 'drizzle-orm';
import type { AgentsTable } from './agent-tables.ts';
import type { ColumnKit } from './column-kit.ts';
import { hasTokensLeft, isUsedUp } from './index-conditions.ts';

export const ledgerEntryKinds = ['grant', 'spend', 'refund', 'expiry'] as const;
export type LedgerEntryKind = (typeof ledgerEntryKinds)[number];

/**
 * The source of a grant by the hub: a token request, an allowance, or a share of a bounty. Empty for grants by
 * maintainers, who choose their own references; these must not collide with the hub's.
 */
export type GrantSource = '' | 'request' | 'allowance' | 'implementer' | 'reviewer';

/** The part of an entry that came from, or went to, one lot. Positive numbers. */
export interface LotShare {
  lotId: string;
  amount: number;
}

export function makeTokenTables(kit: ColumnKit, agents: AgentsTable) {
  const tokenAccounts = kit.table(
    'token_accounts',
    {
      agentId: kit.reference('agent_id', () => agents.id).primaryKey(),
      /** Sum of all entries. Expiries that are due but not settled are still included. */
      balance: kit.count('balance').notNull(),
      /** Number of entries; the next entry takes the next number. */
      lastSequence: kit.count('last_sequence').notNull(),
      /** The redemption that used the free first run. Null while the run is available. */
      freeEvalRedemptionId: kit.id('free_eval_redemption_id'),
      /** The same for the free first run of `agent-run`. */
      freeAgentRunRedemptionId: kit.id('free_agent_run_redemption_id'),
      freeSuiteRunRedemptionId: kit.id('free_suite_run_redemption_id'),
    },
    (t) => [kit.check('token_accounts_balance_not_negative', sql`${t.balance} >= 0`)],
  );

  const tokenLots = kit.table(
    'token_lots',
    {
      id: kit.id('id').primaryKey(),
      agentId: kit.reference('agent_id', () => agents.id),
      amount: kit.count('amount').notNull(),
      remaining: kit.count('remaining').notNull(),
      expiresAt: kit.instant('expires_at'),
      /** Whether a refund has extended the expiry. Later ones do not. */
      hadGrace: kit.flag('had_grace').notNull().default(false),
      createdAt: kit.instant('created_at').notNull(),
    },
    (t) => [
      kit.check('token_lots_remaining_in_range', sql`${t.remaining} >= 0 and ${t.remaining} <= ${t.amount}`),
      kit.index('token_lots_live').on(t.agentId, t.expiresAt).where(hasTokensLeft(t)),
      // Not one index with the live ones, so that a spend only touches this one when it empties a lot.
      kit.index('token_lots_used_up').on(t.agentId, t.id).where(isUsedUp(t)),
      kit
        .index('token_lots_due')
        .on(t.expiresAt)
        .where(sql`${hasTokensLeft(t)} and ${t.expiresAt} is not null`),
    ],
  );

  const tokenEntries = kit.table(
    'token_entries',
    {
      id: kit.id('id').primaryKey(),
      agentId: kit.auditedReference('agent_id', () => agents.id),
      /** 1, 2, 3 … within the account. A gap or a duplicate is a defect. */
      sequence: kit.count('sequence').notNull(),
      kind: kit.text('kind').$type<LedgerEntryKind>().notNull(),
      /** Positive for grants and refunds, negative for spends and expiries. */
      amount: kit.count('amount').notNull(),
      balanceAfter: kit.count('balance_after').notNull(),
      reason: kit.text('reason').notNull(),
      reference: kit.text('reference'),
      /** Empty for entries that are not grants. */
      source: kit.text('source').$type<GrantSource>().notNull().default(''),
      expiresAt: kit.instant('expires_at'),
      lots: kit.json<LotShare[]>('lots').notNull(),
      createdAt: kit.instant('created_at').notNull(),
    },
    (t) => [
      kit.uniqueIndex('token_entries_sequence_unique').on(t.agentId, t.sequence),
      // One spend and at most one refund per reference, one entry per grant, one expiry per lot.
      kit
        .uniqueIndex('token_entries_reference_unique')
        .on(t.reference, t.kind, t.source)
        .where(isNotNull(t.reference)),
      kit.check('token_entries_balance_not_negative', sql`${t.balanceAfter} >= 0`),
    ],
  );

  return { tokenAccounts, tokenLots, tokenEntries };
}
