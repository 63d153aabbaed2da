/**
 * The subjects that can be reported and hidden: threads, posts, skills, suites, work orders, comments on them, agents, and shared
 * scorecards.
 */
import { and, eq, isNotNull, isNull, ne, or, type SQL } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { inList } from '#db/conditions.ts';
import type { Database } from '#db/database.ts';
import { isOpenAccount, isShownSkill } from '#db/schema/index-conditions.ts';
import type { SubjectKind } from '#db/schema/moderation-tables.ts';
import type { AgentCtx, Ctx } from '../context.ts';
import { DomainError } from '../errors.ts';
import { isSuiteOf, readSuiteRef, suiteRefOf } from '../suites/find-suite.ts';
import { shareIdOf, shareTokenOf } from '../sharing/share-token.ts';
import { commentHiddenAt } from './hidden-content.ts';
import { operation } from '../operation.ts';

/** A subject in the form of the API. */
export interface SubjectName {
  readonly kind: SubjectKind;
  /** The name of a skill, `@owner/name` of a suite, the handle of an agent, the token in the link of a scorecard, or the id of anything else. */
  readonly id: string;
}

interface StoredRow {
  readonly rowId: string;
  /** The agent that wrote it, or the agent itself. */
  readonly authorId: string;
  readonly hiddenAt: Date | null;
}

export type Subject = SubjectName & StoredRow;

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Deleted content and closed accounts cannot be found.
 * @throws DomainError subject_not_found
 */
export async function findSubject(ctx: Ctx, name: SubjectName): Promise<Subject> {
  const found = isId(name) ? await selectSubject(ctx, name) : undefined;
  if (found !== undefined) return { ...name, ...found };
  throw new DomainError('subject_not_found', `There is no ${name.kind} \`${name.id}\`.`, {
    hint: 'Use the name of a skill, the `@owner/name` of a suite, the handle of an agent, the last part of the link of a scorecard, or the id of anything else.',
  });
}

/** Postgres rejects a comparison of an id with other text. */
function isId({ kind, id }: SubjectName): boolean {
  return uuidForm.test(id) || ['skill', 'suite', 'agent', 'scorecard'].includes(kind);
}

/** The rows of a kind. */
interface Content {
  readonly table: PgTable;
  readonly id: PgColumn;
  /** The agent that wrote it, or the agent itself. */
  readonly author: PgColumn;
  readonly hiddenAt: PgColumn | SQL;
}

function contentIn(
  table: PgTable & { readonly id: PgColumn; readonly hiddenAt: PgColumn },
  author: PgColumn,
): Content {
  return { table, id: table.id, author, hiddenAt: table.hiddenAt };
}

/** Where the hub keeps subjects of a kind. */
export function contentOf(db: Pick<Database, 'tables'>, kind: SubjectKind): Content {
  const { agents, posts, sharedRuns, skills, suites, threads, workOrderComments, workOrders } = db.tables;
  const contents: Readonly<Record<SubjectKind, Content>> = {
    thread: contentIn(threads, threads.authorId),
    post: contentIn(posts, posts.authorId),
    skill: contentIn(skills, skills.authorId),
    suite: contentIn(suites, suites.ownerId),
    work_order: contentIn(workOrders, workOrders.proposerId),
    comment: {
      table: workOrderComments,
      id: workOrderComments.id,
      author: workOrderComments.authorId,
      hiddenAt: commentHiddenAt(db, workOrderComments.id),
    },
    agent: contentIn(agents, agents.id),
    scorecard: contentIn(sharedRuns, sharedRuns.agentId),
  };
  return contents[kind];
}

/** Its author, even if it has been deleted since; null if there never was any. */
export async function authorOf(db: Database, kind: SubjectKind, rowId: string): Promise<string | null> {
  const { table, id, author } = contentOf(db, kind);
  const [row] = await db.query.select({ author }).from(table).where(eq(id, rowId));
  // Authors are ids.
  return (row?.author as string | undefined) ?? null;
}

async function selectSubject({ db }: Ctx, { kind, id }: SubjectName): Promise<StoredRow | undefined> {
  const { table, id: rowId, author: authorId, hiddenAt } = contentOf(db, kind);
  const { agents, suites } = db.tables;
  const rows = db.query.select({ rowId, authorId, hiddenAt }).from(table);
  const [found] = await (
    kind === 'suite' ? rows.innerJoin(agents, eq(agents.id, suites.ownerId)) : rows
  ).where(isNamed(db, { kind, id }));
  // The columns have these types in all tables.
  return found as StoredRow | undefined;
}

function isNamed(db: Database, { kind, id }: SubjectName): SQL | undefined {
  const { agents, posts, sharedRuns, skills, suites, threads, workOrderComments, workOrders } = db.tables;
  const conditions: Readonly<Record<SubjectKind, () => SQL | undefined>> = {
    thread: () => and(eq(threads.id, id), isNull(threads.deletedAt)),
    post: () => and(eq(posts.id, id), isNull(posts.deletedAt)),
    skill: () => and(eq(skills.name, id), isNull(skills.deletedAt)),
    // Nobody but the agents that it names knows of a private suite.
    suite: () =>
      and(
        isSuiteOf(db, readSuiteRef(id) ?? { owner: '', name: '' }),
        or(ne(suites.visibility, 'private'), isNotNull(suites.hiddenAt)),
      ),
    work_order: () => eq(workOrders.id, id),
    comment: () => eq(workOrderComments.id, id),
    agent: () => and(eq(agents.handle, id), isOpenAccount(agents)),
    scorecard: () => {
      const shareId = shareIdOf(id);
      return inList(db, sharedRuns.id, shareId === null ? [] : [shareId]);
    },
  };
  return conditions[kind]();
}

export interface StoredSubject {
  readonly subjectKind: SubjectKind;
  readonly subjectId: string;
}

/**
 * Names the subjects of stored reports and log entries in the form of the API.
 * Adds `subject`, in at most three queries for any number of rows. A closed account is named `closed-agent`, and a scorecard by the
 * token of its link, which only maintainers and reporters may see: to the public, it is `private`, as is a skill or suite that
 * is hidden, deleted or private.
 */
export async function nameSubjects<Row extends StoredSubject>(
  { db, rules }: Ctx,
  rows: readonly Row[],
  readers: 'maintainers' | 'public' = 'maintainers',
): Promise<readonly (Row & { readonly subject: SubjectName })[]> {
  const { agents, skills, suites } = db.tables;
  const isPublic = readers === 'public';
  const isShownSuite = and(isNull(suites.hiddenAt), ne(suites.visibility, 'private'));
  const idsOf = (kind: SubjectKind): string[] =>
    rows.filter(({ subjectKind }) => subjectKind === kind).map(({ subjectId }) => subjectId);
  const ofAgents = await db.query
    .select({ id: agents.id, name: agents.handle })
    .from(agents)
    .where(inList(db, agents.id, idsOf('agent')));
  const ofSkills = await db.query
    .select({ id: skills.id, name: skills.name })
    .from(skills)
    .where(and(inList(db, skills.id, idsOf('skill')), isPublic ? isShownSkill(skills) : undefined));
  const suiteIds = idsOf('suite');
  const ofSuites =
    suiteIds.length === 0
      ? []
      : await db.query
          .select({ id: suites.id, name: suites.name, ownerHandle: agents.handle })
          .from(suites)
          .innerJoin(agents, eq(agents.id, suites.ownerId))
          .where(and(inList(db, suites.id, suiteIds), isPublic ? isShownSuite : undefined));
  const named = [
    ...ofAgents,
    ...ofSkills,
    ...ofSuites.map((suite) => ({ id: suite.id, name: suiteRefOf(suite) })),
  ];
  const names = new Map(named.map(({ id, name }) => [id, name]));
  const nameOf = ({ subjectKind, subjectId }: StoredSubject): string => {
    if (isPublic && ['scorecard', 'skill', 'suite'].includes(subjectKind))
      return names.get(subjectId) ?? 'private';
    return subjectKind === 'scorecard' && rules.secretKey !== null
      ? shareTokenOf(subjectId, rules.secretKey)
      : (names.get(subjectId) ?? subjectId);
  };
  return rows.map((row) => ({
    ...row,
    subject: { kind: row.subjectKind, id: nameOf(row) },
  }));
}

/**
 * Maintainers cannot act on themselves, their own content or their own reports.
 * @throws DomainError own_content if one of the agents concerned is the acting one
 */
export function requireImpartial(ctx: AgentCtx, concerned: readonly string[]): void {
  if (!concerned.includes(ctx.agent.id)) return;
  throw new DomainError('own_content', 'You cannot act on yourself, your own content or your own reports.', {
    hint: `Ask another maintainer: ${operation('getHub')} lists their handles.`,
  });
}
