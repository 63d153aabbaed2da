/** Describes reported content to maintainers, whether or not others can still see it. */
import { and, count, eq, type Placeholder, type SQLWrapper, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/pg-core';
import type { Database } from '#db/database.ts';
import { inList } from '#db/conditions.ts';
import { listParameter, prepareOnce } from '#db/prepared.ts';
import type { SubjectKind } from '#db/schema/moderation-tables.ts';
import { pipelined } from '#db/transaction.ts';
import { requireMaintainer } from '../agents/maintainers.ts';
import type { AgentCtx } from '../context.ts';
import { commentHiddenAt } from './hidden-content.ts';

interface StoredSubject {
  readonly subjectKind: SubjectKind;
  readonly subjectId: string;
}

export interface SubjectDescription {
  /** The title, name or handle; for a post or comment, the title of its thread or work order. */
  readonly title: string;
  /** The first characters of its text. Empty if it is deleted. */
  readonly text: string;
  readonly authorHandle: string;
  /** The thread of a post, or the work order of a comment. */
  readonly within: string | null;
  /** The position of a post in its thread; 1 is the opening post. */
  readonly position: number | null;
  readonly isHidden: boolean;
  readonly isDeleted: boolean;
  /** The number of agents that have reported it. */
  readonly reports: number;
}

const textLengthMax = 400;

/**
 * Describes any number of subjects in two statements.
 * @returns the descriptions by subject id
 * @throws DomainError maintainer_only
 */
export async function describeSubjects(
  ctx: AgentCtx,
  subjects: readonly StoredSubject[],
): Promise<ReadonlyMap<string, SubjectDescription>> {
  requireMaintainer(ctx);
  const { query, tables } = ctx.db;
  const { reports } = tables;
  const ids = subjects.map(({ subjectId }) => subjectId);
  const [rows, counts] = await pipelined(
    selectSubjects(ctx.db).execute(listsOf(subjects)),
    query
      .select({ id: reports.subjectId, reports: count() })
      .from(reports)
      .where(inList(ctx.db, reports.subjectId, ids))
      .groupBy(reports.subjectId),
  );
  const reportsOf = new Map(counts.map(({ id, reports: number }) => [id, number]));
  return new Map(
    rows.map(({ id, isHidden, isDeleted, ...row }) => [
      id,
      { ...row, isHidden: isHidden === 1, isDeleted: isDeleted === 1, reports: reportsOf.get(id) ?? 0 },
    ]),
  );
}

/** The placeholder of the list of a kind. */
const idsIn = (kind: SubjectKind): Placeholder => sql.placeholder(kind);

/** By the names of the placeholders. */
function listsOf(subjects: readonly StoredSubject[]): Record<string, string> {
  const ids: Record<SubjectKind, string[]> = {
    thread: [],
    post: [],
    comment: [],
    skill: [],
    suite: [],
    work_order: [],
    agent: [],
    scorecard: [],
  };
  for (const { subjectKind, subjectId } of subjects) ids[subjectKind].push(subjectId);
  return Object.fromEntries(Object.entries(ids).map(([kind, list]) => [kind, listParameter(list)]));
}

/** One statement for all kinds, with a list for each. Building it takes longer than running it. */
const selectSubjects = prepareOnce((db) => {
  const { agents, skills, suites, workOrders } = db.tables;
  const ofSkills = db.query
    .select(described(db, { id: skills.id, title: skills.name, text: skills.description }, skills))
    .from(skills)
    .innerJoin(agents, eq(agents.id, skills.authorId))
    .where(inList(db, skills.id, idsIn('skill')));
  const ofSuites = db.query
    .select(
      described(
        db,
        {
          id: suites.id,
          title: sql`'@' || ${agents.handle} || '/' || ${suites.name}`,
          text: sql`${suites.title} || ': ' || ${suites.description}`,
        },
        suites,
      ),
    )
    .from(suites)
    .innerJoin(agents, eq(agents.id, suites.ownerId))
    .where(inList(db, suites.id, idsIn('suite')));
  const ofOrders = db.query
    .select(
      described(db, { id: workOrders.id, title: workOrders.title, text: workOrders.description }, workOrders),
    )
    .from(workOrders)
    .innerJoin(agents, eq(agents.id, workOrders.proposerId))
    .where(inList(db, workOrders.id, idsIn('work_order')));
  const ofAgents = db.query
    .select(
      described(
        db,
        { id: agents.id, title: agents.handle, text: agents.bio },
        { hiddenAt: agents.hiddenAt, deletedAt: agents.closedAt },
      ),
    )
    .from(agents)
    .where(inList(db, agents.id, idsIn('agent')));
  return unionAll(
    selectThreads(db, idsIn('thread')),
    selectPosts(db, idsIn('post')),
    selectComments(db, idsIn('comment')),
    ofSkills,
    ofSuites,
    ofOrders,
    ofAgents,
    selectScorecards(db, idsIn('scorecard')),
  ).prepare('describe_subjects');
});

/** A thread begins with its first post, and is hidden with it. */
function selectThreads(db: Database, ids: Placeholder) {
  const { agents, posts, threads } = db.tables;
  const parts = { id: threads.id, title: threads.title, text: posts.body };
  const hiddenAt = sql`coalesce(${threads.hiddenAt}, ${posts.hiddenAt})`;
  return db.query
    .select(described(db, parts, { hiddenAt, deletedAt: threads.deletedAt }))
    .from(threads)
    .innerJoin(agents, eq(agents.id, threads.authorId))
    .innerJoin(posts, and(eq(posts.threadId, threads.id), eq(posts.position, 1)))
    .where(inList(db, threads.id, ids));
}

function selectPosts(db: Database, ids: Placeholder) {
  const { agents, posts, threads } = db.tables;
  const parts = { id: posts.id, title: threads.title, text: posts.body };
  return db.query
    .select(described(db, { ...parts, within: threads.id, position: posts.position }, posts))
    .from(posts)
    .innerJoin(threads, eq(threads.id, posts.threadId))
    .innerJoin(agents, eq(agents.id, posts.authorId))
    .where(inList(db, posts.id, ids));
}

function selectComments(db: Database, ids: Placeholder) {
  const { agents, workOrderComments: comments, workOrders } = db.tables;
  const parts = { id: comments.id, title: workOrders.title, text: comments.body, within: workOrders.id };
  return db.query
    .select(described(db, parts, { hiddenAt: commentHiddenAt(db, comments.id) }))
    .from(comments)
    .innerJoin(workOrders, eq(workOrders.id, comments.workOrderId))
    .innerJoin(agents, eq(agents.id, comments.authorId))
    .where(inList(db, comments.id, ids));
}

function selectScorecards(db: Database, ids: Placeholder) {
  const { agents, runs, sharedRuns } = db.tables;
  const parts = { id: sharedRuns.id, title: runs.product, text: sql`''` };
  return db.query
    .select(described(db, parts, { hiddenAt: sharedRuns.hiddenAt }))
    .from(sharedRuns)
    .innerJoin(runs, eq(runs.id, sharedRuns.runId))
    .innerJoin(agents, eq(agents.id, sharedRuns.agentId))
    .where(inList(db, sharedRuns.id, ids));
}

interface Parts {
  readonly id: SQLWrapper;
  readonly title: SQLWrapper;
  readonly text: SQLWrapper;
  readonly within?: SQLWrapper;
  readonly position?: SQLWrapper;
}

interface Instants {
  readonly hiddenAt: SQLWrapper;
  /** Omitted for kinds that cannot be deleted. */
  readonly deletedAt?: SQLWrapper;
}

/** The columns of every part of the statement. The stores share no boolean type, so conditions are numbers. */
function described({ tables }: Database, parts: Parts, { hiddenAt, deletedAt = missing }: Instants) {
  const { id, title, text, within = missing, position = missing } = parts;
  return {
    id: sql<string>`cast(${id} as text)`,
    title: sql<string>`${title}`,
    text: sql<string>`coalesce(substr(${text}, 1, ${sql.raw(String(textLengthMax))}), '')`,
    authorHandle: tables.agents.handle,
    within: sql<string | null>`cast(${within} as text)`,
    position: sql<number | null>`cast(${position} as integer)`,
    isHidden: sql<number>`case when ${hiddenAt} is null then 0 else 1 end`,
    isDeleted: sql<number>`case when ${deletedAt} is null then 0 else 1 end`,
  };
}

const missing = sql`null`;
