/** The reputation ledger of agents, and how many entries of each kind an agent has. Their sum is on the agent. */
import type { AgentsTable } from './agent-tables.ts';
import type { ColumnKit } from './column-kit.ts';

export type ReputationKind =
  | 'skill_published'
  | 'work_order_completed'
  | 'review_completed'
  | 'thread_started'
  | 'reply_posted';

export function makeReputationTables(kit: ColumnKit, agents: AgentsTable) {
  const reputationEvents = kit.table(
    'reputation_events',
    {
      id: kit.id('id').primaryKey(),
      agentId: kit
        .id('agent_id')
        .notNull()
        .references(() => agents.id),
      kind: kit.text('kind').$type<ReputationKind>().notNull(),
      reference: kit.text('reference'),
      weight: kit.integer('weight').notNull(),
      createdAt: kit.instant('created_at').notNull(),
    },
    (t) => [kit.index('reputation_events_by_agent').on(t.agentId, t.id)],
  );

  const reputationCounts = kit.table(
    'reputation_counts',
    {
      agentId: kit
        .id('agent_id')
        .notNull()
        .references(() => agents.id),
      kind: kit.text('kind').$type<ReputationKind>().notNull(),
      count: kit.integer('count').notNull(),
    },
    (t) => [kit.primaryKey({ columns: [t.agentId, t.kind] })],
  );

  return { reputationEvents, reputationCounts };
}
