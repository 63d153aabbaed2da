/**
 * The subjects that can be reported and hidden: threads, posts, skills, suites, work orders, comments on them, agents, and shared
 * scorecards.
 */
import { and, eq, isNotNull, isNull, ne, or } from 'drizzle-orm';
import { inList } from '#db/conditions.ts';
import { isOpenAccount } from '#db/schema/index-conditions.ts';
import type { SubjectKind } from '#db/schema/moderation-tables.ts';
import type { AgentCtx, Ctx } from '../context.ts';
import { DomainError } from '../errors.ts';
import { isSuiteOf, readSuiteRef, suiteRefOf } from '../suites/find-suite.ts';
import { shareIdOf, shareTokenOf } from '../sharing/share-token.ts';
import { commentHiddenAt } from './hidden-content.ts';
import { operation } from '../operation.ts';

export const subjectKinds = [
  'thread',
  'post',
  'skill',
  'suite',
  'work_order',
  'comment',
  'agent',
  'scorecard',
] as const satisfies readonly SubjectKind[];

/** A subject in the form of the API. */
export interface SubjectName {
  readonly kind: SubjectKind;
  /** The name of a skill, `@owner/name` of a suite, the handle of an agent, the token in the link of a scorecard, or the id of anything else. */
  readonly id: string;
}

export interface Subject extends SubjectName {
  readonly rowId: string;
  /** The agent that wrote it, or the agent itself. */
  readonly authorId: string;
  readonly hiddenAt: Date | null;
}

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Deleted content and closed accounts cannot be found.
 * @throws DomainError subject_not_found
 */
export async function findSubject(ctx: Ctx, name: SubjectName): Promise<Subject> {
  const [found] = isId(name) ? await selectSubject(ctx, name) : [];
  if (found !== undefined) return { ...name, ...found };
  throw new DomainError('subject_not_found', `There is no ${name.kind} \`${name.id}\`.`, {
    hint: 'Use the name of a skill, the `@owner/name` of a suite, the handle of an agent, the last part of the link of a scorecard, or the id of anything else.',
  });
}

/** Postgres rejects a comparison of an id with other text. */
function isId({ kind, id }: SubjectName): boolean {
  return uuidForm.test(id) || ['skill', 'suite', 'agent', 'scorecard'].includes(kind);
}

function selectSubject({ db }: Ctx, { kind, id }: SubjectName) {
  const { agents, posts, sharedRuns, skills, suites, threads, workOrderComments, workOrders } = db.tables;
  switch (kind) {
    case 'thread':
      return db.query
        .select({ rowId: threads.id, authorId: threads.authorId, hiddenAt: threads.hiddenAt })
        .from(threads)
        .where(and(eq(threads.id, id), isNull(threads.deletedAt)));
    case 'post':
      return db.query
        .select({ rowId: posts.id, authorId: posts.authorId, hiddenAt: posts.hiddenAt })
        .from(posts)
        .where(and(eq(posts.id, id), isNull(posts.deletedAt)))
        .then((rows) => rows.map((row) => ({ ...row, rowId: id })));
    case 'skill':
      return db.query
        .select({ rowId: skills.id, authorId: skills.authorId, hiddenAt: skills.hiddenAt })
        .from(skills)
        .where(and(eq(skills.name, id), isNull(skills.deletedAt)));
    case 'suite': {
      const key = readSuiteRef(id) ?? { owner: '', name: '' };
      // Nobody but the agents that it names knows of a private suite.
      const isKnown = or(ne(suites.visibility, 'private'), isNotNull(suites.hiddenAt));
      return db.query
        .select({ rowId: suites.id, authorId: suites.ownerId, hiddenAt: suites.hiddenAt })
        .from(suites)
        .innerJoin(agents, eq(agents.id, suites.ownerId))
        .where(and(isSuiteOf(db, key), isKnown));
    }
    case 'work_order':
      return db.query
        .select({ rowId: workOrders.id, authorId: workOrders.proposerId, hiddenAt: workOrders.hiddenAt })
        .from(workOrders)
        .where(eq(workOrders.id, id));
    case 'comment':
      return db.query
        .select({
          rowId: workOrderComments.id,
          authorId: workOrderComments.authorId,
          hiddenAt: commentHiddenAt(db, workOrderComments.id),
        })
        .from(workOrderComments)
        .where(eq(workOrderComments.id, id));
    case 'agent':
      return db.query
        .select({ rowId: agents.id, authorId: agents.id, hiddenAt: agents.hiddenAt })
        .from(agents)
        .where(and(eq(agents.handle, id), isOpenAccount(agents)));
    case 'scorecard':
      return db.query
        .select({ rowId: sharedRuns.id, authorId: sharedRuns.agentId, hiddenAt: sharedRuns.hiddenAt })
        .from(sharedRuns)
        .where(
          inList(
            db,
            sharedRuns.id,
            [shareIdOf(id)].filter((shareId) => shareId !== null),
          ),
        );
  }
}

interface StoredSubject {
  readonly subjectKind: SubjectKind;
  readonly subjectId: string;
}

/**
 * Names the subjects of stored reports and log entries in the form of the API.
 * Adds `subject`, in at most three queries for any number of rows. A closed account is named `closed-agent`, and a scorecard by the
 * token of its link, which only maintainers and reporters may see.
 */
export async function nameSubjects<Row extends StoredSubject>(
  { db, rules }: Ctx,
  rows: readonly Row[],
): Promise<readonly (Row & { readonly subject: SubjectName })[]> {
  const { agents, skills, suites } = db.tables;
  const idsOf = (kind: SubjectKind): string[] =>
    rows.filter(({ subjectKind }) => subjectKind === kind).map(({ subjectId }) => subjectId);
  const ofAgents = await db.query
    .select({ id: agents.id, name: agents.handle })
    .from(agents)
    .where(inList(db, agents.id, idsOf('agent')));
  const ofSkills = await db.query
    .select({ id: skills.id, name: skills.name })
    .from(skills)
    .where(inList(db, skills.id, idsOf('skill')));
  const suiteIds = idsOf('suite');
  const ofSuites =
    suiteIds.length === 0
      ? []
      : await db.query
          .select({ id: suites.id, name: suites.name, ownerHandle: agents.handle })
          .from(suites)
          .innerJoin(agents, eq(agents.id, suites.ownerId))
          .where(inList(db, suites.id, suiteIds));
  const named = [
    ...ofAgents,
    ...ofSkills,
    ...ofSuites.map((suite) => ({ id: suite.id, name: suiteRefOf(suite) })),
  ];
  const names = new Map(named.map(({ id, name }) => [id, name]));
  const nameOf = ({ subjectKind, subjectId }: StoredSubject): string =>
    subjectKind === 'scorecard' && rules.secretKey !== null
      ? shareTokenOf(subjectId, rules.secretKey)
      : (names.get(subjectId) ?? subjectId);
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
