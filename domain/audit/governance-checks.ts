/** Checks of moderation and closed accounts: the log agrees with the rows, and nothing is left behind. */
import { and, eq, exists, isNotNull, isNull, lt, ne, notExists, or, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Database } from '#db/database.ts';
import { isOpenRun, isReservedSeat } from '#db/schema/index-conditions.ts';
import type { ModerationAct } from '#db/schema/moderation-tables.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import { type AuditCheck, type Drift, totals } from './find-drift.ts';

type Moderated = PgTable & { readonly id: PgColumn };

/** A column is set exactly if `act` is in the log once more than `undo`, because repeats are not logged. */
function logged(
  name: string,
  [act, undo]: readonly [ModerationAct, ModerationAct],
  of: (tables: Tables) => readonly [table: Moderated, column: PgColumn],
): AuditCheck {
  return totals(name, `Rows that are marked agree with \`${act}\` and \`${undo}\` in the log.`, (tables) => {
    const { moderationEntries } = tables;
    const [table, column] = of(tables);
    return {
      id: table.id,
      kept: sql`case when ${column} is null then 0 else 1 end`,
      rowId: moderationEntries.subjectId,
      counted: sql`sum(case ${moderationEntries.act} when ${sql.raw(`'${act}'`)} then 1 else -1 end)`,
      where: sql`${moderationEntries.act} in (${sql.raw(`'${act}', '${undo}'`)})`,
    };
  });
}

const hiding = ['hide', 'restore'] as const;

export const governanceChecks: readonly AuditCheck[] = [
  logged('hidden_threads', hiding, ({ threads }) => [threads, threads.hiddenAt]),
  logged('hidden_posts', hiding, ({ posts }) => [posts, posts.hiddenAt]),
  logged('hidden_skills', hiding, ({ skills }) => [skills, skills.hiddenAt]),
  logged('hidden_suites', hiding, ({ suites }) => [suites, suites.hiddenAt]),
  logged('hidden_work_orders', hiding, ({ workOrders }) => [workOrders, workOrders.hiddenAt]),
  logged('hidden_agents', hiding, ({ agents }) => [agents, agents.hiddenAt]),
  logged('locked_threads', ['lock', 'unlock'], ({ threads }) => [threads, threads.lockedAt]),
  {
    name: 'moderated_reputation',
    promise: 'Content that is hidden or deleted has no reputation left.',
    find: findKeptReputation,
  },
  {
    name: 'absent_agents',
    promise: 'A suspended or closed agent has no open run and no future seat from before.',
    find: findLeftWork,
  },
  {
    name: 'closed_accounts',
    promise:
      'A closed account that was erased has no tokens, keys, sessions, webhooks, notifications or published runs.',
    find: findLeftRows,
  },
  {
    name: 'left_suites',
    promise: 'Suites of a closed account that was erased are retired, and others have run them.',
    find: findLeftSuites,
  },
  {
    name: 'erasures',
    promise: 'What was closed or deleted is erased by the sweeper within an hour.',
    find: findLateErasures,
  },
];

async function findKeptReputation(db: Database, limit: number): Promise<Drift[]> {
  const { posts, reputationEvents, skills, threads } = db.tables;
  const gone = (table: Moderated, condition: SQL | undefined) =>
    db.query
      .select({ one: sql`1` })
      .from(table)
      .where(and(eq(table.id, reputationEvents.subjectId), condition));
  const isGone = or(
    exists(
      gone(
        threads,
        or(isNotNull(threads.hiddenAt), isNotNull(threads.openingHiddenAt), isNotNull(threads.deletedAt)),
      ),
    ),
    exists(gone(posts, or(isNotNull(posts.hiddenAt), isNotNull(posts.deletedAt)))),
    exists(gone(skills, or(isNotNull(skills.hiddenAt), isNotNull(skills.deletedAt)))),
  );
  const left = sql`sum(${reputationEvents.weight})`;
  return db.query
    .select({
      subject: sql`${reputationEvents.subjectId}`.mapWith(String),
      kept: left.mapWith(Number),
      found: sql<string>`'hidden or deleted'`,
    })
    .from(reputationEvents)
    .where(and(isNotNull(reputationEvents.subjectId), isGone))
    .groupBy(reputationEvents.subjectId)
    .having(ne(left, 0))
    .limit(limit);
}

async function findLeftWork(db: Database, limit: number): Promise<Drift[]> {
  const { agents, events, runs, seats } = db.tables;
  const since = sql`coalesce(${agents.closedAt}, ${agents.suspendedAt})`;
  const run = db.query
    .select({ one: sql`1` })
    .from(runs)
    .where(and(eq(runs.agentId, agents.id), isOpenRun(runs), sql`${runs.createdAt} < ${since}`));
  const seat = db.query
    .select({ one: sql`1` })
    .from(seats)
    .innerJoin(events, eq(events.id, seats.eventId))
    .where(
      and(
        eq(seats.agentId, agents.id),
        isReservedSeat(seats),
        sql`${seats.reservedAt} < ${since} and ${events.startsAt} > ${since}`,
      ),
    );
  return db.query
    .select({
      subject: agents.id,
      kept: sql<string>`'absent'`,
      found: sql<string>`case when ${exists(run)} then 'an open run' else 'a future seat' end`,
    })
    .from(agents)
    .where(and(or(isNotNull(agents.closedAt), isNotNull(agents.suspendedAt)), or(exists(run), exists(seat))))
    .limit(limit);
}

/** What a closed account has left is erased within minutes, and looked for again after a minute and after an hour. */
function isErased({ query, tables: { agents, erasures } }: Database): SQL | undefined {
  const open = query
    .select({ one: sql`1` })
    .from(erasures)
    .where(and(eq(erasures.kind, 'account'), eq(erasures.subjectId, agents.id)));
  return and(isNotNull(agents.closedAt), notExists(open));
}

async function findLeftSuites(db: Database, limit: number): Promise<Drift[]> {
  const { agents, suites } = db.tables;
  const rows = await db.query
    .select({ subject: suites.id })
    .from(suites)
    .innerJoin(agents, eq(agents.id, suites.ownerId))
    .where(and(isErased(db), or(isNull(suites.retiredAt), isNull(suites.ranByOthersAt))))
    .limit(limit);
  return rows.map(({ subject }) => ({ subject, kept: 'closed', found: 'not retired, or only for itself' }));
}

async function findLeftRows(db: Database, limit: number): Promise<Drift[]> {
  const { agents, bearerTokens, notifications, oauthRequests, sessions, webhooks } = db.tables;
  const { leaderboardEntries, sharedRuns, suiteAgents } = db.tables;
  const access = { bearerTokens, notifications, oauthRequests, sessions, webhooks };
  const shown = { leaderboardEntries, sharedRuns, suiteAgents };
  const found: Drift[] = [];
  for (const [name, table] of Object.entries({ ...access, ...shown })) {
    const rows = await db.query
      .selectDistinct({ subject: agents.id })
      .from(agents)
      .innerJoin(table, eq(table.agentId, agents.id))
      .where(isErased(db))
      .limit(limit);
    found.push(...rows.map(({ subject }) => ({ subject, kept: 'closed', found: name })));
  }
  return found.slice(0, limit);
}

const erasedWithinMs = 60 * 60_000;

async function findLateErasures(db: Database, limit: number, now: Date | null): Promise<Drift[]> {
  if (now === null) return [];
  const { erasures } = db.tables;
  const late = await db.query
    .select({ subject: erasures.subjectId, kind: erasures.kind })
    .from(erasures)
    .where(lt(erasures.dueAt, new Date(now.getTime() - erasedWithinMs)))
    .limit(limit);
  return late.map(({ subject, kind }) => ({ subject, kept: kind, found: 'not erased yet' }));
}
