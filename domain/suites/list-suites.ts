/** Lists suites, and describes them as a runner sees them before it pays. */
import { and, asc, desc, eq, exists, getTableColumns, or, type SQL, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { inList } from '#db/conditions.ts';
import { isListedSuite } from '#db/schema/index-conditions.ts';
import type { SuiteRow, SuiteVersionRow } from '#db/schema/suite-tables.ts';
import { matchesSearch } from '#db/search.ts';
import { findAgentByHandle } from '../agents/find-agent.ts';
import type { ActingAgent, Ctx } from '../context.ts';
import { newestFirst, type Page, type PageInput } from '../paging.ts';
import { searching } from '../searching.ts';
import { suiteRunPrice } from './suite-rules.ts';

/** A version without its document, which may have 5 MB. */
export type VersionSummary = Omit<SuiteVersionRow, 'document' | 'caseIdentities'>;

export interface ListedSuite extends SuiteRow {
  readonly ownerHandle: string;
  /** The newest version. */
  readonly newest: VersionSummary;
  /** Most common first. */
  readonly tags: readonly string[];
  /** For all cases with the trials that the document asks for. */
  readonly priceTokens: number;
}

interface ListSuitesInput extends PageInput {
  /** Only suites of the agent with this handle; null for all. */
  readonly owner: string | null;
  /** Only suites whose cases have this tag; null for all. */
  readonly tag: string | null;
  /** Search words; all suites when left out. */
  readonly q?: string | undefined;
  readonly viewer: ActingAgent | null;
}

/**
 * Lists suites, newest first. Private, retired and hidden ones are listed only among those of their owner: all for the
 * owner itself, and the private ones for the agents that they name.
 * @throws DomainError invalid_parameter for a bad cursor; search_timeout
 */
export function listSuites(ctx: Ctx, input: ListSuitesInput): Promise<Page<ListedSuite>> {
  return searching(ctx, input.q, (reading) => readSuites(reading, input));
}

async function readSuites(ctx: Ctx, input: ListSuitesInput): Promise<Page<ListedSuite>> {
  const { db } = ctx;
  const { agents, suites, suiteTags, suiteVersions } = db.tables;
  const owner = input.owner === null ? null : await findAgentByHandle(db, input.owner);
  if (input.owner !== null && owner === null) return { items: [], nextCursor: null };
  const found = input.q === undefined ? undefined : await matchesSearch(db, 'suites', suites.id, input.q);
  const hasTag =
    input.tag === null
      ? undefined
      : exists(
          db.query
            .select({ one: sql`1` })
            .from(suiteTags)
            .where(and(eq(suiteTags.tag, input.tag), eq(suiteTags.suiteId, suites.id))),
        );
  const isShown =
    owner === null
      ? isListedSuite(suites)
      : and(eq(suites.ownerId, owner.id), isShownTo(ctx, owner.id, input.viewer));
  const { items, nextCursor } = await newestFirst('suites', input, suites.id, (isOnPage) =>
    db.query
      .select({ id: suites.id, suite: suites, ownerHandle: agents.handle, newest: summaryColumns(db) })
      .from(suites)
      .innerJoin(agents, eq(agents.id, suites.ownerId))
      .innerJoin(
        suiteVersions,
        and(eq(suiteVersions.suiteId, suites.id), eq(suiteVersions.version, suites.newestVersion)),
      )
      .where(and(isShown, isOnPage, found, hasTag)),
  );
  const tags = await findTags(
    ctx,
    items.map(({ id }) => id),
  );
  const listed = items.map(({ id, suite, ownerHandle, newest }) => ({
    ...suite,
    ownerHandle,
    newest,
    tags: tags.get(id) ?? [],
    priceTokens: suiteRunPrice(ctx, newest.caseCount * newest.trials),
  }));
  return { items: listed, nextCursor };
}

/** Which suites of one owner the viewer sees in a list. */
function isShownTo({ db }: Ctx, ownerId: string, viewer: ActingAgent | null): SQL | undefined {
  const { suites, suiteAgents } = db.tables;
  if (viewer === null) return isListedSuite(suites);
  if (viewer.id === ownerId) return undefined;
  const isNamed = exists(
    db.query
      .select({ one: sql`1` })
      .from(suiteAgents)
      .where(and(eq(suiteAgents.suiteId, suites.id), eq(suiteAgents.agentId, viewer.id))),
  );
  const isOpenToNamed = sql`${suites.hiddenAt} is null and ${suites.retiredAt} is null`;
  return or(isListedSuite(suites), and(isOpenToNamed, isNamed));
}

export function summaryColumns({ tables }: Database) {
  const { document: _, caseIdentities: __, ...columns } = getTableColumns(tables.suiteVersions);
  return columns;
}

/** The tags of each suite, most common first. */
export async function findTags(
  { db }: Ctx,
  suiteIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { suiteTags } = db.tables;
  if (suiteIds.length === 0) return new Map();
  const rows = await db.query
    .select()
    .from(suiteTags)
    .where(inList(db, suiteTags.suiteId, suiteIds))
    .orderBy(asc(suiteTags.suiteId), desc(suiteTags.cases), asc(suiteTags.tag));
  const bySuite = Map.groupBy(rows, ({ suiteId }) => suiteId);
  return new Map([...bySuite].map(([id, ofSuite]) => [id, ofSuite.map(({ tag }) => tag)]));
}
