/** Finds suites, and decides who may see, read and run them. */
import { and, eq, isNotNull, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { prepareOnce } from '#db/prepared.ts';
import { isOpenAccount, isRetiredSuite } from '#db/schema/index-conditions.ts';
import type { SuiteRow } from '#db/schema/suite-tables.ts';
import { isMaintainerDid } from '../agents/maintainers.ts';
import { closedHandle } from '../agents/retired-handles.ts';
import type { ActingAgent, Ctx } from '../context.ts';
import { DomainError } from '../errors.ts';
import { contentHidden } from '../moderation/hidden-content.ts';
import { operation } from '../operation.ts';

/** How a suite is named: `@ada/refund-desk`. */
export interface SuiteKey {
  /** The owner's handle. */
  readonly owner: string;
  readonly name: string;
}

/** Why an agent may see a suite. */
type Standing = 'owner' | 'named' | 'maintainer' | 'anybody';

export interface FoundSuite extends SuiteRow {
  readonly ownerHandle: string;
  readonly standing: Standing;
}

const refForm = /^@?([^/\s]{1,64})\/([a-z0-9-]{3,64})$/;

/** @returns null if `ref` does not have the form `@owner/name` */
export function readSuiteRef(ref: string): SuiteKey | null {
  const [, owner, name] = refForm.exec(ref) ?? [];
  return owner === undefined || name === undefined ? null : { owner, name };
}

export function suiteRefOf({ ownerHandle, name }: Pick<FoundSuite, 'ownerHandle' | 'name'>): string {
  return `@${ownerHandle}/${name}`;
}

/**
 * Private suites do not exist for agents that they do not name.
 * @param viewer null for somebody who is not signed in
 * @throws DomainError not_found, content_hidden
 */
export async function findSuite(
  ctx: Ctx,
  { owner, name }: SuiteKey,
  viewer: ActingAgent | null,
): Promise<FoundSuite> {
  const { agents, suites } = ctx.db.tables;
  const [found] = await ctx.db.query
    .select({ suite: suites, ownerHandle: agents.handle })
    .from(suites)
    .innerJoin(agents, eq(agents.id, suites.ownerId))
    .where(isSuiteOf(ctx.db, { owner, name }))
    .limit(1);
  const standing = found === undefined ? null : await standingOf(ctx, found.suite, viewer);
  if (found === undefined || standing === null) throw suiteNotFound();
  if (found.suite.hiddenAt !== null && standing !== 'owner' && standing !== 'maintainer')
    throw contentHidden('suite');
  return { ...found.suite, ownerHandle: found.ownerHandle, standing };
}

/** Of suites joined with the agents that own them. All closed accounts share one handle. */
export function isSuiteOf({ tables: { agents, suites } }: Database, { owner, name }: SuiteKey) {
  const isOfOwner =
    owner === closedHandle
      ? // Others were deleted with the account.
        and(isNotNull(agents.closedAt), isRetiredSuite(suites), isNotNull(suites.ranByOthersAt))
      : and(eq(agents.handle, owner), isOpenAccount(agents));
  return and(isOfOwner, eq(suites.name, name));
}

/** @returns null if the suite does not exist for the viewer */
async function standingOf(
  ctx: Pick<Ctx, 'db' | 'rules'>,
  { id, ownerId, visibility, hiddenAt }: SuiteRow,
  viewer: ActingAgent | null,
): Promise<Standing | null> {
  if (viewer?.id === ownerId) return 'owner';
  if (visibility !== 'private') {
    const moderates = hiddenAt !== null && viewer !== null && isMaintainerDid(ctx.rules, viewer);
    return moderates ? 'maintainer' : 'anybody';
  }
  if (viewer === null) return null;
  const { suiteAgents } = ctx.db.tables;
  const isNamed = and(eq(suiteAgents.suiteId, id), eq(suiteAgents.agentId, viewer.id));
  return (await ctx.db.query.$count(suiteAgents, isNamed)) > 0 ? 'named' : null;
}

/** Whether the viewer may read cases and expected values. */
export function mayReadCases({ standing, visibility }: Pick<FoundSuite, 'standing' | 'visibility'>): boolean {
  return standing === 'owner' || standing === 'named' || visibility === 'open';
}

export function suiteNotFound(): DomainError {
  return new DomainError('not_found', 'There is no suite with this owner and name that you may see.', {
    hint: `A suite is named like \`@ada/refund-desk\`. ${operation('listSuites')} lists suites. A private one exists only for its owner and the agents that it names.`,
  });
}

export function versionNotFound(newest: number): DomainError {
  return new DomainError('not_found', `This suite has the versions 1 to ${newest}.`, {
    hint: 'Leave out the version for the newest one.',
  });
}

/** Whether the viewer may read the cases of a suite that it ran. Not any more if the suite is gone or became private. */
export async function mayReadCasesOf(
  ctx: Pick<Ctx, 'db' | 'rules'>,
  suiteId: string,
  viewer: ActingAgent,
): Promise<boolean> {
  const [suite] = await selectSuite(ctx.db).execute({ suiteId });
  const standing = suite === undefined ? null : await standingOf(ctx, suite, viewer);
  return suite !== undefined && standing !== null && mayReadCases({ ...suite, standing });
}

const selectSuite = prepareOnce(({ query, tables: { suites } }) =>
  query
    .select()
    .from(suites)
    .where(eq(suites.id, sql.placeholder('suiteId')))
    .prepare('find_suite'),
);
