import type { LeaderboardRow } from '#db/schema/leaderboard-tables.ts';
import { pipelined } from '#db/transaction.ts';
import type { Ctx } from '../context.ts';
import { DomainError } from '../errors.ts';
import { decodeCursor, encodeCursor, type PageInput } from '../paging.ts';
import { mainProduct, type ProductName, productNames, productOf } from '../runs/products.ts';
import { findVersion } from '../suites/find-runnable-suite.ts';
import { findSuite, readSuiteRef, suiteNotFound, suiteRefOf } from '../suites/find-suite.ts';
import { type EntryFilters, type Section, selectListed, unitsPerPoint } from './select-listed.ts';

export interface ListLeaderboardInput extends PageInput {
  /** Defaults to the main product. */
  readonly product?: string | undefined;
  /** Of a suite of the hub: its version. */
  readonly suiteVersion?: string | undefined;
  /** For a product whose runs are of published suites: `@owner/name`, and its version, by default the newest. */
  readonly suite?: string | undefined;
  readonly version?: number | undefined;
}

export interface LeaderboardEntry extends LeaderboardRow {
  readonly handle: string;
  /** Agents with the same lower bound have the same rank. Null with too few runs. */
  readonly rank: number | null;
  /** Whether the agent has too few ranked runs for a rank. */
  readonly provisional: boolean;
  /** The nearest agents above and below whose interval overlaps with this one's, best first. */
  readonly tieWith: readonly string[];
  /** Whether the agent has published the suite itself. */
  readonly own: boolean;
}

export interface Leaderboard {
  readonly product: ProductName;
  readonly suiteVersion: string;
  /** `@owner/name` of a published suite; null for one of the hub. */
  readonly suite: string | null;
  readonly entries: readonly LeaderboardEntry[];
  readonly nextCursor: string | null;
}

/** How many agents above and below an entry are examined for a tie. */
export const tieReach = 10;

/**
 * Lists the agents with ranked runs of a product, best first, and behind them those with too few runs for a rank.
 * Entries are ordered by the lower bound of their interval, so few runs and wide intervals gain nothing. See
 * `selectListed` for agents that count as one. Suspended, hidden and closed agents are left out.
 *
 * @throws DomainError invalid_parameter for an unknown product or version, or a bad cursor
 */
export async function listLeaderboard(ctx: Ctx, input: ListLeaderboardInput): Promise<Leaderboard> {
  const { ownerId, ...board } = await readBoard(ctx, input);
  const start = readCursor(input.cursor);
  const isAmongRanked = start === null || start.rank !== null;
  const [above, ranked] = isAmongRanked
    ? await pipelined(
        start === null ? Promise.resolve([]) : readAbove(ctx, board, start),
        readFrom(ctx, board, 'ranked', start, input.limit + tieReach),
      )
    : [[], []];
  const wanted = input.limit + 1 - ranked.length;
  const after = isAmongRanked ? null : start;
  const others = wanted > 0 ? await readFrom(ctx, board, 'provisional', after, wanted) : [];
  const nearby = [...above, ...ranked];
  const entries: LeaderboardEntry[] = [];
  let last = start;
  for (const [index, row] of [...ranked, ...others].slice(0, input.limit).entries()) {
    const key = { units: unitsOf(row.low), agentId: row.agentId };
    if (index >= ranked.length) {
      entries.push({ ...row, rank: null, provisional: true, tieWith: [], own: row.agentId === ownerId });
      last = { ...key, position: (last?.position ?? 0) + 1, rank: null };
      continue;
    }
    const position: number = (last?.position ?? 0) + 1;
    const rank: number = last !== null && key.units === last.units ? (last.rank ?? position) : position;
    const tieWith = tiesOf(nearby, above.length + index);
    entries.push({ ...row, rank, provisional: false, tieWith, own: row.agentId === ownerId });
    last = { ...key, position, rank };
  }
  const isMore = ranked.length + others.length > entries.length;
  return { ...board, entries, nextCursor: isMore && last !== null ? writeCursor(last) : null };
}

interface NamedBoard extends Board {
  readonly product: ProductName;
  /** Of the suite, if it is a published one. */
  readonly ownerId: string | null;
}

async function readBoard(ctx: Ctx, input: ListLeaderboardInput): Promise<NamedBoard> {
  const { product: name, suiteVersion, suite: ref, version: wanted } = input;
  const known = productNames.find((one) => one === (name ?? mainProduct));
  if (known === undefined) {
    throw new DomainError('invalid_parameter', '`product` is not a product of this hub.', {
      hint: `Products: ${productNames.join(', ')}.`,
    });
  }
  const product = productOf({ product: known });
  const { version } = product.cases;
  if (version === null) return { product: known, ...(await readSuiteBoard(ctx, ref ?? '', wanted ?? null)) };
  if (ref !== undefined || wanted !== undefined) {
    throw new DomainError('invalid_parameter', `The runs of ${product.name} are not of a published suite.`, {
      hint: 'Leave out `suite` and `version`.',
    });
  }
  if ((suiteVersion ?? version) !== version) {
    throw new DomainError('invalid_parameter', `\`suite_version\` is not a version of ${product.name}.`, {
      hint: `The version is ${version}, also if you leave it out.`,
    });
  }
  return {
    product: known,
    suiteVersion: version,
    suite: null,
    suiteVersionId: '',
    ownerId: null,
  };
}

/** Only suites that anybody may run have a board. */
async function readSuiteBoard(ctx: Ctx, ref: string, wanted: number | null) {
  const key = readSuiteRef(ref);
  if (key === null) throw suiteNotFound();
  const suite = await findSuite(ctx, key, null);
  const { id, version } = await findVersion(ctx, suite, wanted ?? suite.newestVersion);
  return {
    suiteVersion: String(version),
    suite: suiteRefOf(suite),
    suiteVersionId: id,
    ownerId: suite.ownerId,
  };
}

/** The entry after which a page starts. */
interface Place {
  /** The lower bound of the interval, in the units in which it is kept. */
  readonly units: number;
  readonly agentId: string;
  readonly position: number;
  /** Null among the provisional entries; 0 in a cursor. */
  readonly rank: number | null;
}

function unitsOf(points: number): number {
  return Math.round(points * unitsPerPoint);
}

function readCursor(cursor: string | null): Place | null {
  if (cursor === null) return null;
  const shape = ['number', 'id', 'integer', 'integer'] as const;
  const [low, agentId, position, rank] = decodeCursor('leaderboard', cursor, shape);
  return { units: low, agentId, position: Math.max(1, position), rank: rank < 1 ? null : rank };
}

function writeCursor({ units: low, agentId, position, rank }: Place): string {
  return encodeCursor('leaderboard', [low, agentId, position, rank ?? 0]);
}

type ListedRow = LeaderboardRow & { readonly handle: string };

function tiesOf(rows: readonly ListedRow[], at: number): string[] {
  const own = rows[at];
  if (own === undefined) return [];
  return rows.flatMap((row, index) =>
    index !== at && Math.abs(index - at) <= tieReach && row.low <= own.high && own.low <= row.high
      ? [row.handle]
      : [],
  );
}

interface Board {
  readonly product: string;
  readonly suiteVersion: string;
  readonly suite: string | null;
  /** Empty for a suite of the hub. */
  readonly suiteVersionId: string;
}

/** Up to `wanted` rows after `start`. */
async function readFrom(
  ctx: Ctx,
  board: Board,
  section: Section,
  start: Place | null,
  wanted: number,
): Promise<ListedRow[]> {
  const best = selectListed[section];
  if (start === null) return readListed(ctx, board, best, { limit: wanted });
  const low = start.units / unitsPerPoint;
  // Two range scans: with OR in one condition, the store would not use the index.
  const [equal, lower] = await pipelined(
    readListed(ctx, board, best, { low, after: start.agentId, limit: wanted }),
    readListed(ctx, board, best, { below: low, limit: wanted }),
  );
  return [...equal, ...lower].slice(0, wanted);
}

/** The ranked entry at `start` and those above it, for ties; best first. */
async function readAbove(ctx: Ctx, board: Board, start: Place): Promise<ListedRow[]> {
  const worst = selectListed.rankedWorstFirst;
  const low = start.units / unitsPerPoint;
  const [equal, higher] = await pipelined(
    readListed(ctx, board, worst, { low, upTo: start.agentId, limit: tieReach }),
    readListed(ctx, board, worst, { above: low, limit: tieReach }),
  );
  return [...equal, ...higher].slice(0, tieReach).toReversed();
}

async function readListed(
  ctx: Ctx,
  { product, suiteVersion, suiteVersionId }: Board,
  select: (typeof selectListed)[Section],
  filters: EntryFilters,
): Promise<ListedRow[]> {
  // Everybody on the machine of a private hub has the same network.
  const byNetwork = ctx.rules.identity.isPrivate ? {} : ({ byNetwork: true } as const);
  const board = { product, suiteVersion, suiteVersionId, now: ctx.clock.now(), ...byNetwork };
  const rows = await select(ctx.db, { ...board, ...filters });
  return rows.map(({ entry, handle }) => ({ ...entry, handle }));
}
