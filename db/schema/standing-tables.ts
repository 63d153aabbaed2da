/** The agents that support the hub. */
import { isNull, sql } from 'drizzle-orm';
import type { AgentsTable, SponsorTier } from './agent-tables.ts';
import type { ColumnKit } from './column-kit.ts';

export const supportTiers = ['sponsor', 'supporter', 'donation'] as const satisfies readonly SponsorTier[];
export type SupportTier = (typeof supportTiers)[number];

export function makeStandingTables(kit: ColumnKit, agents: AgentsTable) {
  const supporters = kit.table(
    'supporters',
    {
      id: kit.id('id').primaryKey(),
      agentId: kit.reference('agent_id', () => agents.id),
      tier: kit.text('tier').$type<SupportTier>().notNull(),
      since: kit.instant('since').notNull(),
      /** When the status lapses. Null while no end is agreed. */
      endsAt: kit.instant('ends_at'),
      /** When it was ended or found to have lapsed. Null while it is open. */
      endedAt: kit.instant('ended_at'),
    },
    (t) => [
      kit.index('supporters_by_agent').on(t.agentId, t.id),
      kit.uniqueIndex('supporters_one_open').on(t.agentId).where(isNull(t.endedAt)),
      kit.index('supporters_open').on(t.id).where(isNull(t.endedAt)),
      kit
        .index('supporters_due')
        .on(t.endsAt)
        .where(sql`${t.endedAt} is null and ${t.endsAt} is not null`),
    ],
  );

  return { supporters };
}
