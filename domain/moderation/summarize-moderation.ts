/** A public summary of moderation, without the names of maintainers and reporters and without reasons. */
import { count, desc, gte, sql } from 'drizzle-orm';
import { periodNumber } from '#db/within-time.ts';
import type { ModerationAct } from '#db/schema/moderation-tables.ts';
import type { Ctx } from '../context.ts';
import type { ModerationEntryRow } from './list-entries.ts';
import { summaryLatestMax, summaryWeeksMax } from './moderation-limits.ts';
import { nameSubjects } from './name-subjects.ts';
import type { SubjectName } from './subjects.ts';

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
    latest: (await nameSubjects(ctx, latest)).map(withoutLink),
  };
}

/** The link of a scorecard is for those to whom its agent gave it. */
function withoutLink<Entry extends { readonly subject: SubjectName }>(entry: Entry): Entry {
  const { kind } = entry.subject;
  return kind === 'scorecard' ? { ...entry, subject: { kind, id: 'private' } } : entry;
}

function mondayOf(week: number): Date {
  return new Date(week * weekMs - mondayBeforeEpochMs);
}
