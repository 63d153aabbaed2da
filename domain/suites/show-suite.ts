/** Shows a suite with what a runner should know before it pays, and its versions. */
import { and, asc, between, desc, eq, lt, max } from 'drizzle-orm';
import { inList } from '#db/conditions.ts';
import { filteredStatement } from '#db/filtered-statement.ts';
import { type CaseChanges, type CaseIdentity, compareCases } from '#evals/own-suite/identity.ts';
import type { SuiteVersionRow } from '#db/schema/suite-tables.ts';
import type { ActingAgent, Ctx } from '../context.ts';
import { decodeCursor, type Page, type PageInput, pageOf } from '../paging.ts';
import { findVersion } from './find-runnable-suite.ts';
import { findSuite, type FoundSuite, mayReadCases, type SuiteKey } from './find-suite.ts';
import { findTags, type ListedSuite, summaryColumns, type VersionSummary } from './list-suites.ts';
import { suiteRunPrice } from './suite-rules.ts';

export interface ShownSuite extends ListedSuite, FoundSuite {
  /** The hosts of the webhooks that replies are sent to for a verdict. */
  readonly judgeHosts: readonly string[];
  /** Whether the viewer may read cases and expected values. */
  readonly mayReadCases: boolean;
  /** The handles of the agents that the suite names; null unless the viewer is the owner. */
  readonly agents: readonly string[] | null;
}

interface SuiteInput extends SuiteKey {
  /** The reader, if it is a known agent. */
  readonly viewer: ActingAgent | null;
}

/** @throws DomainError not_found, content_hidden */
export async function showSuite(ctx: Ctx, input: SuiteInput): Promise<ShownSuite> {
  return describeSuite(ctx, await findSuite(ctx, input, input.viewer));
}

export async function describeSuite(ctx: Ctx, suite: FoundSuite): Promise<ShownSuite> {
  const { suiteVersions } = ctx.db.tables;
  const [[newest], tags, agents] = await Promise.all([
    ctx.db.query
      .select(summaryColumns(ctx.db))
      .from(suiteVersions)
      .where(and(eq(suiteVersions.suiteId, suite.id), eq(suiteVersions.version, suite.newestVersion))),
    findTags(ctx, [suite.id]),
    suite.standing === 'owner' ? findNamedAgents(ctx, suite.id) : null,
  ]);
  if (newest === undefined) throw new Error(`Suite ${suite.id} has no version ${suite.newestVersion}.`);
  return {
    ...suite,
    newest,
    tags: tags.get(suite.id) ?? [],
    priceTokens: suiteRunPrice(ctx, newest.caseCount * newest.trials),
    judgeHosts: await findJudgeHosts(ctx, newest.judges),
    mayReadCases: mayReadCases(suite),
    agents,
  };
}

async function findJudgeHosts({ db }: Ctx, judges: readonly string[]): Promise<readonly string[]> {
  if (judges.length === 0) return [];
  const { webhooks } = db.tables;
  const found = await db.query
    .select({ url: webhooks.url })
    .from(webhooks)
    .where(inList(db, webhooks.id, judges));
  return [...new Set(found.map(({ url }) => new URL(url).host))].toSorted();
}

/** The agents that a private suite names. */
export async function findNamedAgents({ db }: Ctx, suiteId: string): Promise<readonly string[]> {
  const { agents, suiteAgents } = db.tables;
  const named = await db.query
    .select({ handle: agents.handle })
    .from(suiteAgents)
    .innerJoin(agents, eq(agents.id, suiteAgents.agentId))
    .where(eq(suiteAgents.suiteId, suiteId))
    .orderBy(asc(agents.handle));
  return named.map(({ handle }) => handle);
}

/**
 * Lists the versions of a suite, newest first.
 * @throws DomainError invalid_parameter for a bad cursor
 */
export async function listSuiteVersions(
  ctx: Ctx,
  suite: FoundSuite,
  { limit, cursor }: PageInput,
): Promise<Page<VersionSummary>> {
  const before = cursor === null ? undefined : decodeCursor('suite-versions', cursor, ['integer'])[0];
  const rows = await selectVersions(ctx.db, { suiteId: suite.id, before, limit: limit + 1 });
  return pageOf('suite-versions', rows, limit, ({ version }) => [version]);
}

interface VersionFilters {
  readonly suiteId: string;
  readonly before: number | undefined;
  readonly limit: number;
}

const selectVersions = filteredStatement<VersionFilters, VersionSummary>((db, { suiteId, before, limit }) => {
  const { suiteVersions } = db.tables;
  return db.query
    .select(summaryColumns(db))
    .from(suiteVersions)
    .where(and(eq(suiteVersions.suiteId, suiteId), before && lt(suiteVersions.version, before)))
    .orderBy(desc(suiteVersions.version))
    .limit(limit);
});

/** Of the longer document of a version and the one before it, which a page shows together. */
export async function bytesToCompare({ db }: Ctx, suite: FoundSuite, version: number): Promise<number> {
  const { suiteVersions } = db.tables;
  const [found] = await db.query
    .select({ longest: max(suiteVersions.bytes) })
    .from(suiteVersions)
    .where(and(eq(suiteVersions.suiteId, suite.id), between(suiteVersions.version, version - 1, version)));
  return found?.longest ?? 0;
}

export interface ShownVersion {
  readonly summary: VersionSummary;
  /** Against the version before; null unless the viewer may read cases, as is the document. */
  readonly changes: CaseChanges | null;
  readonly document: unknown;
  /** Of the cases of the document; empty without it. */
  readonly identities: readonly CaseIdentity[];
  /** The version before; null as `changes`, and for the first one. */
  readonly before: Pick<SuiteVersionRow, 'document' | 'caseIdentities'> | null;
}

/** @throws DomainError not_found */
export async function showSuiteVersion(ctx: Ctx, suite: FoundSuite, version: number): Promise<ShownVersion> {
  const isOpen = mayReadCases(suite);
  const [{ document, caseIdentities, ...summary }, before] = await Promise.all([
    findVersion(ctx, suite, version),
    isOpen && version > 1 ? findVersion(ctx, suite, version - 1) : null,
  ]);
  if (!isOpen) return { summary, changes: null, document: null, identities: [], before: null };
  const changes = compareCases(before?.caseIdentities ?? [], caseIdentities);
  return { summary, changes, document, identities: caseIdentities, before };
}
