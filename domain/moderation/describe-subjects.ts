/** Describes reported content to maintainers, whether or not others can still see it. */
import { and, count, eq, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { alias, type PgColumn, type PgTable } from 'drizzle-orm/pg-core';
import { inList } from '#db/conditions.ts';
import type { Database } from '#db/database.ts';
import type { SubjectKind } from '#db/schema/moderation-tables.ts';
import { pipelined } from '#db/transaction.ts';
import { requireMaintainer } from '../agents/maintainers.ts';
import type { AgentCtx } from '../context.ts';
import { contentOf, type StoredSubject } from './subjects.ts';

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
 * Describes any number of subjects, in one statement for each kind among them and one for all reports.
 * @returns the descriptions by subject id
 * @throws DomainError maintainer_only
 */
export async function describeSubjects(
  ctx: AgentCtx,
  subjects: readonly StoredSubject[],
): Promise<ReadonlyMap<string, SubjectDescription>> {
  requireMaintainer(ctx);
  const { reports } = ctx.db.tables;
  const ids = subjects.map(({ subjectId }) => subjectId);
  const counted = ctx.db.query
    .select({ id: reports.subjectId, reports: count() })
    .from(reports)
    .where(inList(ctx.db, reports.subjectId, ids))
    .groupBy(reports.subjectId);
  const kinds = Map.groupBy(subjects, ({ subjectKind }) => subjectKind);
  const [counts, ...rows] = await pipelined(
    counted,
    ...[...kinds].map(([kind, some]) =>
      readSubjects(
        ctx.db,
        kind,
        some.map(({ subjectId }) => subjectId),
      ),
    ),
  );
  const reportsOf = new Map(counts.map(({ id, reports: number }) => [id, number]));
  return new Map(rows.flat().map(({ id, ...shown }) => [id, { ...shown, reports: reportsOf.get(id) ?? 0 }]));
}

async function readSubjects(db: Database, kind: SubjectKind, ids: readonly string[]) {
  const authors = alias(db.tables.agents, 'authors');
  const { table, id, author, hiddenAt } = contentOf(db, kind);
  const { title, text, beside, ...parts } = partsOf(db, kind, authors.handle);
  const { within = missing, position = missing, deletedAt = missing } = parts;
  const rows = db.query
    .select({
      id: sql<string>`${id}`,
      title: sql<string>`${title}`,
      text: sql<string>`coalesce(substr(${text}, 1, ${sql.raw(String(textLengthMax))}), '')`,
      authorHandle: authors.handle,
      within: sql<string | null>`${within}`,
      position: sql<number | null>`${position}`,
      hiddenAt: sql`${parts.hiddenAt ?? hiddenAt}`,
      deletedAt: sql`${deletedAt}`,
    })
    .from(table)
    .innerJoin(authors, eq(authors.id, author));
  const found = await (beside === undefined ? rows : rows.innerJoin(beside.table, beside.on)).where(
    inList(db, id, ids),
  );
  return found.map(({ hiddenAt: hidden, deletedAt: deleted, ...row }) => ({
    ...row,
    isHidden: hidden !== null,
    isDeleted: deleted !== null,
  }));
}

const missing = sql`null`;

interface Parts {
  readonly title: SQLWrapper;
  readonly text: SQLWrapper;
  readonly within?: PgColumn;
  readonly position?: PgColumn;
  /** Of content that is hidden with other content. */
  readonly hiddenAt?: SQL;
  /** Omitted for kinds that cannot be deleted. */
  readonly deletedAt?: PgColumn;
  /** The table that has the rest of the description. */
  readonly beside?: { readonly table: PgTable; readonly on: SQL | undefined };
}

function partsOf({ tables }: Database, kind: SubjectKind, authorHandle: PgColumn): Parts {
  const { agents, posts, runs, sharedRuns, skills, suites, threads } = tables;
  const { workOrderComments: comments, workOrders } = tables;
  const parts: Readonly<Record<SubjectKind, Parts>> = {
    thread: {
      title: threads.title,
      text: posts.body,
      hiddenAt: sql`coalesce(${threads.hiddenAt}, ${posts.hiddenAt})`,
      deletedAt: threads.deletedAt,
      beside: { table: posts, on: and(eq(posts.threadId, threads.id), eq(posts.position, 1)) },
    },
    post: {
      title: threads.title,
      text: posts.body,
      within: threads.id,
      position: posts.position,
      deletedAt: posts.deletedAt,
      beside: { table: threads, on: eq(threads.id, posts.threadId) },
    },
    comment: {
      title: workOrders.title,
      text: comments.body,
      within: workOrders.id,
      beside: { table: workOrders, on: eq(workOrders.id, comments.workOrderId) },
    },
    skill: { title: skills.name, text: skills.description, deletedAt: skills.deletedAt },
    suite: {
      title: sql`'@' || ${authorHandle} || '/' || ${suites.name}`,
      text: sql`${suites.title} || ': ' || ${suites.description}`,
    },
    work_order: { title: workOrders.title, text: workOrders.description },
    agent: { title: agents.handle, text: agents.bio, deletedAt: agents.closedAt },
    scorecard: {
      title: runs.product,
      text: sql`''`,
      beside: { table: runs, on: eq(runs.id, sharedRuns.runId) },
    },
  };
  return parts[kind];
}
