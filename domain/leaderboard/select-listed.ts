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
  notExists,
  or,
  type Placeholder,
  type SQL,
  sql,
} from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { filteredStatement } from '#db/filtered-statement.ts';
import { isOpenAccount } from '#db/schema/index-conditions.ts';
import type { LeaderboardRow } from '#db/schema/leaderboard-tables.ts';
import { isSuspendedAt } from '../agents/suspension.ts';

export interface EntryFilters {
  readonly score?: number;
  /** Agent ids that limit the entries with that score. */
  readonly after?: string;
  readonly upTo?: string;
  /** Scores. */
  readonly below?: number;
  readonly above?: number;
  readonly limit: number;
}

interface ListedFilters extends EntryFilters {
  readonly product: string;
  readonly suiteVersion: string;
  readonly packHash: string;
  readonly now: Date;
}

/** Entries of agents that are not suspended, hidden or closed; of the agents with targets on one host, only the best. */
export const selectListed = { bestFirst: selectInOrder(true), worstFirst: selectInOrder(false) };

function selectInOrder(isBestFirst: boolean) {
  return filteredStatement<ListedFilters, { entry: LeaderboardRow; handle: string }>((db, given) => {
    const { agents, leaderboardEntries: entries } = db.tables;
    const { score, after, upTo, below, above, product, suiteVersion, packHash, now, limit } = given;
    const better = alias(entries, 'better');
    const owner = alias(agents, 'owner');
    const isOnBoard = (board: typeof entries | typeof better) =>
      and(eq(board.product, product), eq(board.suiteVersion, suiteVersion), eq(board.packHash, packHash));
    const outdoing = db.query
      .select({ one: sql`1` })
      .from(better)
      .innerJoin(owner, eq(owner.id, better.agentId))
      .where(
        and(
          isOnBoard(better),
          eq(better.host, entries.host),
          or(
            gt(better.score, entries.score),
            and(eq(better.score, entries.score), lt(better.agentId, entries.agentId)),
          ),
          isListed(owner, now),
        ),
      );
    return db.query
      .select({ entry: entries, handle: agents.handle })
      .from(entries)
      .innerJoin(agents, eq(agents.id, entries.agentId))
      .where(
        and(
          isOnBoard(entries),
          score && eq(entries.score, score),
          after && gt(entries.agentId, after),
          upTo && lte(entries.agentId, upTo),
          below && lt(entries.score, below),
          above && gt(entries.score, above),
          isListed(agents, now),
          or(isNull(entries.host), notExists(outdoing)),
        ),
      )
      .orderBy(
        ...(isBestFirst
          ? [desc(entries.score), asc(entries.agentId)]
          : [asc(entries.score), desc(entries.agentId)]),
      )
      .limit(limit);
  });
}

type ListedColumns = Record<'closedAt' | 'hiddenAt' | 'suspendedAt' | 'suspendedUntil', Column>;

function isListed(agents: ListedColumns, now: Placeholder): SQL | undefined {
  return and(isOpenAccount(agents), isNull(agents.hiddenAt), sql`not ${isSuspendedAt(agents, now)}`);
}
