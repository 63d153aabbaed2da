import type { LeaderboardRow } from '#db/schema/leaderboard-tables.ts';
import { together } from '#db/together.ts';
import { worldVersion } from '../agent-runs/agent-run.ts';
import type { Ctx } from '../context.ts';
import { DomainError } from '../errors.ts';
import { suiteVersion as currentVersion } from '../eval-suite/suite-version.ts';
import { decodeCursor, encodeCursor, type PageInput } from '../paging.ts';
import { identityOf } from '../eval-suite/packs/pack.ts';
import { productNames, type ProductName } from '../redemptions/product-names.ts';
import { type EntryFilters, selectListed } from './select-listed.ts';

export interface ListLeaderboardInput extends PageInput {
  /** Defaults to `eval-run`. */
  readonly product?: string | undefined;
  /** Defaults to the current one. */
  readonly suiteVersion?: string | undefined;
}

export interface LeaderboardEntry extends LeaderboardRow {
  readonly handle: string;
  /** Agents with the same score have the same rank. */
  readonly rank: number;
  /** The nearest agents above and below whose interval overlaps with this one's, best first. */
  readonly tieWith: readonly string[];
}

export interface Leaderboard {
  readonly product: ProductName;
  readonly suiteVersion: string;
  readonly pack: EvalPack | null;
  readonly entries: readonly LeaderboardEntry[];
  readonly nextCursor: string | null;
}

interface EvalPack {
  readonly name: string;
  readonly hash: string;
}

/** How many agents above and below an entry are examined for a tie. */
export const tieReach = 10;

/** All versions whose runs can be read, the current one last. */
export const boardVersions: Readonly<Record<ProductName, readonly string[]>> = {
  'eval-run': ['1', '2', currentVersion],
  'agent-run': ['1', worldVersion],
};

/**
 * Lists the agents with ranked runs of a product, best first. Of the agents with targets on one host, only the best is
 * listed. Suspended, hidden and closed agents are left out.
 *
 * @throws DomainError invalid_parameter for an unknown product or version, or a bad cursor
 */
export async function listLeaderboard(ctx: Ctx, input: ListLeaderboardInput): Promise<Leaderboard> {
  const board = readBoard(ctx, input);
  const start = readCursor(input.cursor);
  const [above, from] = await together(
    start === null ? Promise.resolve([]) : readAbove(ctx, board, start),
    readFrom(ctx, board, start, input.limit + tieReach),
  );
  const shown = from.slice(0, input.limit);
  const nearby = [...above, ...from];
  const entries: LeaderboardEntry[] = [];
  let last = start;
  for (const [index, row] of shown.entries()) {
    const position: number = (last?.position ?? 0) + 1;
    const rank: number = last !== null && tenths(row.score) === last.tenths ? last.rank : position;
    entries.push({ ...row, rank, tieWith: tiesOf(nearby, above.length + index) });
    last = { tenths: tenths(row.score), agentId: row.agentId, position, rank };
  }
  const more = from.length > shown.length && last !== null;
  const nextCursor = more && last !== null ? writeCursor(last) : null;
  return { ...board, entries, nextCursor };
}

function readBoard({ rules }: Ctx, { product = 'eval-run', suiteVersion }: ListLeaderboardInput) {
  const known = productNames.find((name) => name === product);
  if (known === undefined) {
    throw new DomainError('invalid_parameter', '`product` is not a product of this hub.', {
      hint: `Products: ${productNames.join(', ')}.`,
    });
  }
  const ofProduct = boardVersions[known];
  const version = suiteVersion ?? ofProduct.at(-1) ?? currentVersion;
  if (!ofProduct.includes(version)) {
    throw new DomainError('invalid_parameter', `\`suite_version\` is not a version of ${known}.`, {
      hint: `Versions: ${ofProduct.join(', ')}. Omit it for the current one.`,
    });
  }
  const { installed } = rules.evalPacks;
  const pack = known === 'eval-run' && version === currentVersion ? identityOf(installed) : null;
  return { product: known, suiteVersion: version, pack };
}

/** The entry after which a page starts. */
interface Place {
  /** The score in tenths. */
  readonly tenths: number;
  readonly agentId: string;
  readonly position: number;
  readonly rank: number;
}

function tenths(score: number): number {
  return Math.round(score * 10);
}

function readCursor(cursor: string | null): Place | null {
  if (cursor === null) return null;
  const shape = ['integer', 'id', 'integer', 'integer'] as const;
  const [score, agentId, position, rank] = decodeCursor('leaderboard', cursor, shape);
  return { tenths: score, agentId, position: Math.max(1, position), rank: Math.max(1, rank) };
}

function writeCursor({ tenths: score, agentId, position, rank }: Place): string {
  return encodeCursor('leaderboard', [score, agentId, position, rank]);
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
  readonly pack: EvalPack | null;
}

/** Up to `wanted` rows after `start`. */
async function readFrom(ctx: Ctx, board: Board, start: Place | null, wanted: number): Promise<ListedRow[]> {
  const best = selectListed.bestFirst;
  if (start === null) return readListed(ctx, board, best, { limit: wanted });
  const score = start.tenths / 10;
  // Two range scans: with OR in one condition, the store would not use the index.
  const [equal, lower] = await together(
    readListed(ctx, board, best, { score, after: start.agentId, limit: wanted }),
    readListed(ctx, board, best, { below: score, limit: wanted }),
  );
  return [...equal, ...lower].slice(0, wanted);
}

/** The entry at `start` and those above it, for ties; best first. */
async function readAbove(ctx: Ctx, board: Board, start: Place): Promise<ListedRow[]> {
  const worst = selectListed.worstFirst;
  const score = start.tenths / 10;
  const [equal, higher] = await together(
    readListed(ctx, board, worst, { score, upTo: start.agentId, limit: tieReach }),
    readListed(ctx, board, worst, { above: score, limit: tieReach }),
  );
  return [...equal, ...higher].slice(0, tieReach).toReversed();
}

async function readListed(
  ctx: Ctx,
  { product, suiteVersion, pack }: Board,
  select: (typeof selectListed)['bestFirst'],
  filters: EntryFilters,
): Promise<ListedRow[]> {
  const packHash = pack?.hash ?? '';
  const rows = await select(ctx.db, { product, suiteVersion, packHash, now: ctx.clock.now(), ...filters });
  return rows.map(({ entry, handle }) => ({ ...entry, handle }));
}
