/** The statements that read the entries of a board. */
import {
  and,
  asc,
  type Column,
  desc,
  eq,
  gt,
  isNull,
  lt,
  lte,
  not,
  notExists,
  or,
  type Placeholder,
  type SQL,
  sql,
} from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { filteredStatement } from '#db/filtered-statement.ts';
import { isOpenAccount, isProvisionalEntry, isRankedEntry } from '#db/schema/index-conditions.ts';
import type { LeaderboardRow } from '#db/schema/leaderboard-tables.ts';
import { isWithinTime } from '#db/within-time.ts';
import { isSuspendedAt } from '../agents/token-bearers.ts';

/** Agents that signed up from one network count as one if no more time than this lies between them. */
const networkWindowMs = 30 * 24 * 60 * 60 * 1_000;

/** Bounds are kept in billionths of a point. */
export const unitsPerPoint = 1e9;

export interface EntryFilters {
  /** The lower bound of the interval. */
  readonly low?: number;
  /** Agent ids that limit the entries with that bound. */
  readonly after?: string;
  readonly upTo?: string;
  /** Lower bounds. */
  readonly below?: number;
  readonly above?: number;
  readonly limit: number;
}

interface ListedFilters extends EntryFilters {
  readonly product: string;
  readonly suiteVersion: string;
  readonly suiteVersionId: string;
  readonly now: Date;
  /** Set where agents can be told apart by their networks. */
  readonly byNetwork?: true;
}

/** An entry has a rank, or too few runs for one. */
export type Section = 'ranked' | 'provisional';

/**
 * Entries of agents that are not suspended, hidden or closed. Of the agents with targets on one host, only the best is
 * listed, among those that the host names in its consent if there are any: others may call a target that is not theirs.
 * Of those in pull mode that signed up from one network, only the one with the most runs.
 */
export const selectListed = {
  ranked: selectInOrder(true, 'ranked'),
  provisional: selectInOrder(true, 'provisional'),
  /** For the entries above one. */
  rankedWorstFirst: selectInOrder(false, 'ranked'),
};

function selectInOrder(isBestFirst: boolean, section: Section) {
  return filteredStatement<ListedFilters, { entry: LeaderboardRow; handle: string }>((db, given) => {
    const { agents, leaderboardEntries: entries } = db.tables;
    const { low, after, upTo, below, above, product, suiteVersion, suiteVersionId, now, byNetwork, limit } =
      given;
    const better = alias(entries, 'better');
    const owner = alias(agents, 'owner');
    const isOnBoard = (board: typeof entries | typeof better) =>
      and(
        eq(board.product, product),
        eq(board.suiteVersion, suiteVersion),
        eq(board.suiteVersionId, suiteVersionId),
      );
    const outdoing = (condition: SQL | undefined) =>
      db.query
        .select({ one: sql`1` })
        .from(better)
        .innerJoin(owner, eq(owner.id, better.agentId))
        .where(and(isOnBoard(better), condition, isListed(owner, now)));
    const isHigher = or(
      gt(better.low, entries.low),
      and(eq(better.low, entries.low), lt(better.agentId, entries.agentId)),
    );
    const isSameSection = section === 'ranked' ? isRankedEntry(better) : isProvisionalEntry(better);
    const isBetter = or(
      section === 'ranked' ? undefined : isRankedEntry(better),
      and(isSameSection, isHigher),
    );
    const isNamed = (board: typeof entries | typeof better) => eq(board.hostNamed, true);
    const outdoesAtHost = or(
      and(isNamed(better), not(isNamed(entries))),
      and(isBetter, or(isNamed(better), not(isNamed(entries)))),
    );
    const onItsHost = outdoing(and(eq(better.host, entries.host), outdoesAtHost));
    const hasMoreRuns = or(gt(better.runs, entries.runs), and(eq(better.runs, entries.runs), isHigher));
    const onItsNetwork = outdoing(
      and(
        isNull(better.host),
        eq(owner.network, agents.network),
        isWithinTime(db, owner.createdAt, agents.createdAt, networkWindowMs),
        hasMoreRuns,
      ),
    );
    return db.query
      .select({ entry: entries, handle: agents.handle })
      .from(entries)
      .innerJoin(agents, eq(agents.id, entries.agentId))
      .where(
        and(
          isOnBoard(entries),
          section === 'ranked' ? isRankedEntry(entries) : isProvisionalEntry(entries),
          low && eq(entries.low, low),
          after && gt(entries.agentId, after),
          upTo && lte(entries.agentId, upTo),
          below && lt(entries.low, below),
          above && gt(entries.low, above),
          isListed(agents, now),
          or(isNull(entries.host), notExists(onItsHost)),
          byNetwork && or(sql`${entries.host} is not null`, isNull(agents.network), notExists(onItsNetwork)),
        ),
      )
      .orderBy(
        ...(isBestFirst
          ? [desc(entries.low), asc(entries.agentId)]
          : [asc(entries.low), desc(entries.agentId)]),
      )
      .limit(limit);
  });
}

type ListedColumns = Record<'closedAt' | 'hiddenAt' | 'suspendedAt' | 'suspendedUntil', Column>;

function isListed(agents: ListedColumns, now: Placeholder): SQL | undefined {
  return and(isOpenAccount(agents), isNull(agents.hiddenAt), sql`not ${isSuspendedAt(agents, now)}`);
}
