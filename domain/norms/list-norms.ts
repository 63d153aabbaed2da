/** The measured agents beside the scores of a board, and the log of which runs they are. */
import { and, asc, desc, eq, isNull, lt, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { prepareOnce } from '#db/prepare-once.ts';
import type { RunNormRow } from '#db/schema/leaderboard-tables.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import type { MeasuredNorm } from '#evals/scorecard/measured-norm.ts';
import { roundToTenth } from '#evals/suite/round-to-tenth.ts';
import { requireMaintainer } from '../agents/maintainers.ts';
import type { AgentCtx, Ctx } from '../context.ts';
import { packHashOf } from '../leaderboard/record-ranked-run.ts';
import { decodeCursor, type Page, type PageInput, pageOf } from '../paging.ts';

/** All norms of a board are read for every card. */
export const normsOfBoardMax = 60;

/** The properties that a run must share with a norm to be compared with it. */
type NormBoard = Pick<RunNormRow, 'product' | 'suiteVersion' | 'packHash'>;

export function normBoardOf(run: Pick<RunRow, 'product' | 'suiteVersion' | 'suitePack'>): NormBoard {
  return { product: run.product, suiteVersion: run.suiteVersion, packHash: packHashOf(run) };
}

/** The norms of a board by their labels, the best first. */
export async function listBoardNorms({ db }: Ctx, board: NormBoard): Promise<readonly MeasuredNorm[]> {
  const { product, suiteVersion, packHash } = board;
  const rows = await selectOfBoard(db).execute({ product, suiteVersion, packHash });
  return [...Map.groupBy(rows, ({ label }) => label)]
    .map(([label, own]) => ({
      label,
      score: roundToTenth(own.reduce((sum, { score }) => sum + score, 0) / own.length),
      runs: own.length,
    }))
    .toSorted((one, other) => other.score - one.score);
}

const selectOfBoard = prepareOnce((db) => {
  const { runNorms } = db.tables;
  return db.query
    .select({ label: runNorms.label, score: runNorms.score })
    .from(runNorms)
    .where(
      and(
        eq(runNorms.product, sql.placeholder('product')),
        eq(runNorms.suiteVersion, sql.placeholder('suiteVersion')),
        eq(runNorms.packHash, sql.placeholder('packHash')),
        isNull(runNorms.removedAt),
      ),
    )
    .orderBy(asc(runNorms.id))
    .limit(normsOfBoardMax)
    .prepare('norms_of_board');
});

export interface ShownNorm {
  readonly norm: RunNormRow;
  /** Null: the operator, on the command line. */
  readonly addedBy: string | null;
  readonly removedBy: string | null;
}

/**
 * Lists the runs that are or were norms, newest first.
 * @throws DomainError maintainer_only; invalid_parameter for a bad cursor
 */
export async function listNorms(ctx: Ctx | AgentCtx, input: PageInput): Promise<Page<ShownNorm>> {
  if ('agent' in ctx) requireMaintainer(ctx);
  const { agents, runNorms } = ctx.db.tables;
  const [adder, remover] = [alias(agents, 'adder'), alias(agents, 'remover')];
  const before = input.cursor === null ? undefined : decodeCursor('norms', input.cursor, ['id'])[0];
  const rows = await ctx.db.query
    .select({ norm: runNorms, addedBy: adder.handle, removedBy: remover.handle })
    .from(runNorms)
    .leftJoin(adder, eq(adder.id, runNorms.addedBy))
    .leftJoin(remover, eq(remover.id, runNorms.removedBy))
    .where(before === undefined ? undefined : lt(runNorms.id, before))
    .orderBy(desc(runNorms.id))
    .limit(input.limit + 1);
  return pageOf('norms', rows, input.limit, ({ norm }) => [norm.id]);
}
