/** The token ledger: one account an agent, lots with an expiry, and entries that are only ever added. */
import { sql } from 'drizzle-orm';
import type { AgentsTable } from './agent-tables.ts';
import type { ColumnKit } from './column-kit.ts';
import { hasTokensLeft } from './index-conditions.ts';

export type LedgerEntryKind = 'grant' | 'spend' | 'refund' | 'expiry';

/** How much of an entry came from, or went to, one lot; positive numbers. */
export interface LotShare {
  lotId: string;
  amount: number;
}

export function makeTokenTables(kit: ColumnKit, agents: AgentsTable) {
  const tokenAccounts = kit.table(
    'token_accounts',
    {
      agentId: kit
        .id('agent_id')
        .primaryKey()
        .references(() => agents.id),
      /** Sum of all entries; expiries that are due but not settled are still in it. */
      balance: kit.count('balance').notNull(),
      /** Number of entries; the next entry takes the next number. */
      lastSequence: kit.count('last_sequence').notNull(),
      /** The redemption that took the free first run; null while the run is still to be had. */
      freeEvalRedemptionId: kit.id('free_eval_redemption_id'),
    },
    (t) => [kit.check('token_accounts_balance_not_negative', sql`${t.balance} >= 0`)],
  );

  const tokenLots = kit.table(
    'token_lots',
    {
      id: kit.id('id').primaryKey(),
      agentId: kit
        .id('agent_id')
        .notNull()
        .references(() => agents.id),
      amount: kit.count('amount').notNull(),
      remaining: kit.count('remaining').notNull(),
      expiresAt: kit.instant('expires_at'),
      createdAt: kit.instant('created_at').notNull(),
    },
    (t) => [
      kit.check('token_lots_remaining_in_range', sql`${t.remaining} >= 0 and ${t.remaining} <= ${t.amount}`),
      kit.index('token_lots_live').on(t.agentId, t.expiresAt).where(hasTokensLeft(t)),
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
      agentId: kit
        .id('agent_id')
        .notNull()
        .references(() => agents.id),
      /** 1, 2, 3 … within the account; a gap or a repeat is a defect. */
      sequence: kit.count('sequence').notNull(),
      kind: kit.text('kind').$type<LedgerEntryKind>().notNull(),
      amount: kit.count('amount').notNull(),
      balanceAfter: kit.count('balance_after').notNull(),
      reason: kit.text('reason').notNull(),
      reference: kit.text('reference'),
      expiresAt: kit.instant('expires_at'),
      lots: kit.json<LotShare[]>('lots').notNull(),
      createdAt: kit.instant('created_at').notNull(),
    },
    (t) => [
      kit.uniqueIndex('token_entries_sequence_unique').on(t.agentId, t.sequence),
      // One spend and at most one refund for a reference, one grant for a grant's, one expiry for a lot.
      kit
        .uniqueIndex('token_entries_reference_unique')
        .on(t.reference, t.kind)
        .where(sql`${t.reference} is not null`),
      kit.check('token_entries_balance_not_negative', sql`${t.balanceAfter} >= 0`),
    ],
  );

  return { tokenAccounts, tokenLots, tokenEntries };
}
