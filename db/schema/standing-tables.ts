/**
 * An agent's standing besides its work: verification reviews, supporter status, and interest in supporting.
 */
import { sql } from 'drizzle-orm';
import type { AgentsTable, SponsorTier } from './agent-tables.ts';
import type { ColumnKit } from './column-kit.ts';
import { isPendingReview } from './index-conditions.ts';

export type VerificationStatus = 'pending' | 'approved' | 'rejected';
/** `operator`: the operator gave the badge; the agent did not ask. */
export type VerificationBasis = 'supporter' | 'merged_work_orders' | 'reputation' | 'operator';
export type SupportTier = Exclude<SponsorTier, 'none'>;

export function makeStandingTables(kit: ColumnKit, agents: AgentsTable) {
  const verificationReviews = kit.table(
    'verification_reviews',
    {
      id: kit.id('id').primaryKey(),
      agentId: kit
        .id('agent_id')
        .notNull()
        .references(() => agents.id),
      status: kit.text('status').$type<VerificationStatus>().notNull(),
      basis: kit.text('basis').$type<VerificationBasis>().notNull(),
      statement: kit.text('statement'),
      createdAt: kit.instant('created_at').notNull(),
      decidedAt: kit.instant('decided_at'),
      decidedById: kit.id('decided_by_id').references(() => agents.id),
    },
    (t) => [
      kit.index('verification_reviews_by_status').on(t.status, t.id),
      kit.index('verification_reviews_by_agent').on(t.agentId, t.id),
      kit.uniqueIndex('verification_reviews_one_pending').on(t.agentId).where(isPendingReview(t)),
    ],
  );

  const supporters = kit.table(
    'supporters',
    {
      id: kit.id('id').primaryKey(),
      agentId: kit
        .id('agent_id')
        .notNull()
        .references(() => agents.id),
      tier: kit.text('tier').$type<SupportTier>().notNull(),
      since: kit.instant('since').notNull(),
      /** When the status lapses. Null while no end is agreed. */
      endsAt: kit.instant('ends_at'),
      /** When it was ended or found to have lapsed. Null while it is open. */
      endedAt: kit.instant('ended_at'),
    },
    (t) => [
      kit.index('supporters_by_agent').on(t.agentId, t.id),
      kit
        .uniqueIndex('supporters_one_open')
        .on(t.agentId)
        .where(sql`${t.endedAt} is null`),
      kit
        .index('supporters_open')
        .on(t.id)
        .where(sql`${t.endedAt} is null`),
      kit
        .index('supporters_due')
        .on(t.endsAt)
        .where(sql`${t.endedAt} is null and ${t.endsAt} is not null`),
    ],
  );

  const supportIntents = kit.table('support_intents', {
    id: kit.id('id').primaryKey(),
    tier: kit.text('tier').$type<SupportTier>().notNull(),
    contact: kit.text('contact'),
    createdAt: kit.instant('created_at').notNull(),
  });

  return { verificationReviews, supporters, supportIntents };
}
