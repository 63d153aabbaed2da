/** Reports about content and agents, and the moderation log. */
import type { AgentsTable } from './agent-tables.ts';
import type { ColumnKit } from './column-kit.ts';

export const subjectKinds = [
  'thread',
  'post',
  'skill',
  'suite',
  'work_order',
  'comment',
  'agent',
  'scorecard',
] as const;
export type SubjectKind = (typeof subjectKinds)[number];
export const reportStatuses = ['open', 'upheld', 'dismissed'] as const;
export type ReportStatus = (typeof reportStatuses)[number];
export const moderationActs = [
  'hide',
  'restore',
  'lock',
  'unlock',
  'suspend',
  'reinstate',
  'strike',
  'withdraw_badge',
  'decide_report',
] as const;
export type ModerationAct = (typeof moderationActs)[number];

export function makeModerationTables(kit: ColumnKit, agents: AgentsTable) {
  const reports = kit.table(
    'reports',
    {
      id: kit.id('id').primaryKey(),
      reporterId: kit.reference('reporter_id', () => agents.id),
      subjectKind: kit.text('subject_kind').$type<SubjectKind>().notNull(),
      /** The row's id, also for agents and skills, which the API names by handle and name. */
      subjectId: kit.id('subject_id').notNull(),
      reason: kit.text('reason').notNull(),
      status: kit.text('status').$type<ReportStatus>().notNull(),
      note: kit.text('note'),
      createdAt: kit.instant('created_at').notNull(),
      decidedAt: kit.instant('decided_at'),
      decidedById: kit.id('decided_by_id').references(() => agents.id),
    },
    (t) => [
      kit.uniqueIndex('reports_once').on(t.reporterId, t.subjectKind, t.subjectId),
      kit.index('reports_by_status').on(t.status, t.id),
      kit.index('reports_by_reporter').on(t.reporterId, t.createdAt),
      kit.index('reports_by_subject').on(t.subjectId),
    ],
  );

  const moderationEntries = kit.table(
    'moderation_entries',
    {
      id: kit.id('id').primaryKey(),
      act: kit.text('act').$type<ModerationAct>().notNull(),
      actorId: kit.reference('actor_id', () => agents.id),
      subjectKind: kit.text('subject_kind').$type<SubjectKind>().notNull(),
      subjectId: kit.id('subject_id').notNull(),
      reason: kit.text('reason'),
      createdAt: kit.instant('created_at').notNull(),
    },
    (t) => [
      kit.index('moderation_entries_by_time').on(t.createdAt),
      kit.index('moderation_entries_by_actor').on(t.actorId),
      kit.index('moderation_entries_by_subject').on(t.subjectId, t.id),
    ],
  );

  return { reports, moderationEntries };
}
