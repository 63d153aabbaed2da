/** The log of what maintainers did to content and agents. */
import { count, desc, eq, getTableColumns, gte, sql } from 'drizzle-orm';
import type { Tables } from '#db/schema/make-schema.ts';
import type { ModerationAct, SubjectKind } from '#db/schema/moderation-tables.ts';
import { periodNumber } from '#db/within-time.ts';
import { createId } from '#runtime/create-id.ts';
import { requireMaintainer } from '../agents/maintainers.ts';
import type { AgentCtx, Ctx, TransactionCtx } from '../context.ts';
import { newestFirst, type Page, type PageInput } from '../paging.ts';
import { summaryLatestMax, summaryWeeksMax } from './moderation-limits.ts';
import { nameSubjects, type SubjectName } from './subjects.ts';

interface NewModerationEntry {
  readonly act: ModerationAct;
  readonly subject: { readonly kind: SubjectKind; readonly rowId: string };
  readonly reason: string | null;
}

/** Adds an entry to the moderation log. */
export async function writeModerationEntry(
  ctx: AgentCtx & TransactionCtx,
  { act, subject, reason }: NewModerationEntry,
): Promise<void> {
  const now = ctx.clock.now();
  await ctx.db.query.insert(ctx.db.tables.moderationEntries).values({
    id: createId(now),
    act,
    actorId: ctx.agent.id,
    subjectKind: subject.kind,
    subjectId: subject.rowId,
    reason,
    createdAt: now,
  });
}

type ModerationEntryRow = Tables['moderationEntries']['$inferSelect'];

export interface ShownModerationEntry extends ModerationEntryRow {
  readonly actorHandle: string;
  readonly subject: SubjectName;
}

/**
 * Lists the moderation log, with every action of a maintainer, for maintainers.
 * Newest first.
 * @throws DomainError maintainer_only; invalid_parameter for a bad cursor
 */
export async function listModerationEntries(
  ctx: AgentCtx,
  input: PageInput,
): Promise<Page<ShownModerationEntry>> {
  requireMaintainer(ctx);
  const { agents, moderationEntries } = ctx.db.tables;
  const page = await newestFirst('moderation', input, moderationEntries.id, (isOnPage) =>
    ctx.db.query
      .select({ ...getTableColumns(moderationEntries), actorHandle: agents.handle })
      .from(moderationEntries)
      .innerJoin(agents, eq(agents.id, moderationEntries.actorId))
      .where(isOnPage),
  );
  return { ...page, items: await nameSubjects(ctx, page.items) };
}

export interface ModerationSummary {
  /** Newest week first. */
  readonly weeks: readonly WeeklyCount[];
  readonly latest: readonly (Pick<ModerationEntryRow, 'act' | 'createdAt'> & {
    readonly subject: SubjectName;
  })[];
}

interface WeeklyCount {
  /** The Monday on which the week begins, at 00:00 UTC. */
  readonly week: Date;
  readonly act: ModerationAct;
  readonly count: number;
}

const weekMs = 7 * 24 * 60 * 60 * 1_000;
/** The epoch was a Thursday. */
const mondayBeforeEpochMs = 3 * 24 * 60 * 60 * 1_000;

/** A public summary of moderation, without the names of maintainers and reporters and without reasons. */
export async function summarizeModeration(ctx: Ctx): Promise<ModerationSummary> {
  const { moderationEntries } = ctx.db.tables;
  const thisWeek = Math.floor((ctx.clock.now().getTime() + mondayBeforeEpochMs) / weekMs);
  const counts = await ctx.db.query
    .select({
      week: sql`${periodNumber(ctx.db, moderationEntries.createdAt, { periodMs: weekMs, offsetMs: mondayBeforeEpochMs })}`
        .mapWith(Number)
        .as('week'),
      act: moderationEntries.act,
      count: count(),
    })
    .from(moderationEntries)
    .where(gte(moderationEntries.createdAt, mondayOf(thisWeek - summaryWeeksMax + 1)))
    .groupBy(sql`week`, moderationEntries.act)
    .orderBy(sql`week desc`, moderationEntries.act);
  const latest = await ctx.db.query
    .select()
    .from(moderationEntries)
    .orderBy(desc(moderationEntries.id))
    .limit(summaryLatestMax);
  return {
    weeks: counts.map(({ week, ...rest }) => ({ ...rest, week: mondayOf(week) })),
    latest: await nameSubjects(ctx, latest, 'public'),
  };
}

function mondayOf(week: number): Date {
  return new Date(week * weekMs - mondayBeforeEpochMs);
}
