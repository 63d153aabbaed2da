/** What lists and pages show of the boards: the standing of some agents, and which boards have entries. */
import { and, eq, type SQL, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/pg-core';
import { inList } from '#db/conditions.ts';
import { prepareOnce } from '#db/prepared.ts';
import { isProvisionalEntry, isRankedEntry } from '#db/schema/index-conditions.ts';
import type { LeaderboardRow } from '#db/schema/leaderboard-tables.ts';
import type { Ctx } from '../context.ts';
import { invariant } from '../errors.ts';
import { mainProduct, type ProductName, productNames, productOf } from '../runs/products.ts';

export type Standing = Pick<LeaderboardRow, 'score' | 'low' | 'high'>;

/** On the current board of the main product, by the id of the agent. */
export async function findStandings(
  { db }: Ctx,
  agentIds: readonly string[],
): Promise<ReadonlyMap<string, Standing>> {
  const { leaderboardEntries: entries } = db.tables;
  const { version } = productOf({ product: mainProduct }).cases;
  if (agentIds.length === 0 || version === null) return new Map();
  const { agentId, score, low, high } = entries;
  const rows = await db.query
    .select({ agentId, score, low, high })
    .from(entries)
    .where(
      and(
        inList(db, entries.agentId, agentIds),
        eq(entries.product, mainProduct),
        eq(entries.suiteVersion, version),
        eq(entries.suiteVersionId, ''),
      ),
    );
  return new Map(rows.map(({ agentId: id, ...standing }) => [id, standing]));
}

export interface BoardName {
  readonly product: ProductName;
  readonly suiteVersion: string;
}

/** Of the suites of the hub, those with entries. */
export async function listBoards({ db }: Ctx): Promise<readonly BoardName[]> {
  const places = new Set((await selectPlaces(db).execute()).map(({ place }) => place));
  return knownBoards.filter((_, place) => places.has(place));
}

const knownBoards = productNames.flatMap((product): BoardName[] => {
  const { version } = productOf({ product }).cases;
  return version === null ? [] : [{ product, suiteVersion: version }];
});

/** The places of the boards with entries. */
const selectPlaces = prepareOnce((db) => {
  const { leaderboardEntries: entries } = db.tables;
  // One entry of each section, because each has its own index.
  const first = (place: number, { product, suiteVersion }: BoardName, isOfSection: SQL) =>
    db.query.select({ place: sql<number>`${sql.raw(String(place))}`.as('place') }).from(
      db.query
        .select({ one: sql`1`.as('one') })
        .from(entries)
        .where(
          and(
            eq(entries.product, product),
            eq(entries.suiteVersion, suiteVersion),
            eq(entries.suiteVersionId, ''),
            isOfSection,
          ),
        )
        .limit(1)
        .as('first'),
    );
  const [one, other, ...others] = knownBoards.flatMap((board, place) => [
    first(place, board, isRankedEntry(entries)),
    first(place, board, isProvisionalEntry(entries)),
  ]);
  invariant(one !== undefined && other !== undefined, 'The main product has a suite of the hub.');
  return unionAll(one, other, ...others).prepare('find_boards');
});
