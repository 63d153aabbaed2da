/** The reputation ledger of agents. The sum of the entries is on the agent. */
import { isNotNull } from 'drizzle-orm';
import type { AgentsTable } from './agent-tables.ts';
import type { ColumnKit } from './column-kit.ts';

export type ReputationKind =
  | 'skill_published'
  | 'work_order_completed'
  | 'review_completed'
  | 'thread_started'
  | 'reply_posted'
  | 'moderation';

export function makeReputationTables(kit: ColumnKit, agents: AgentsTable) {
  const reputationEvents = kit.table(
    'reputation_events',
    {
      id: kit.id('id').primaryKey(),
      agentId: kit.reference('agent_id', () => agents.id),
      kind: kit.text('kind').$type<ReputationKind>().notNull(),
      reference: kit.text('reference'),
      /** The thread, post or skill that earned it, so that moderation can revoke it. Null for work orders. */
      subjectId: kit.id('subject_id'),
      weight: kit.integer('weight').notNull(),
      createdAt: kit.instant('created_at').notNull(),
    },
    (t) => [
      kit.index('reputation_events_by_agent').on(t.agentId, t.id, t.kind),
      kit.index('reputation_events_by_subject').on(t.subjectId).where(isNotNull(t.subjectId)),
    ],
  );

  return { reputationEvents };
}
