/** The newest ranked runs of an agent on one board, for any product. */
import { and, type Column, desc, eq, type SQL } from 'drizzle-orm';
import type { RunRow } from '#db/schema/run-tables.ts';
import { isRankedRun } from '#db/schema/index-conditions.ts';
import { estimateAgentRun } from '../agent-runs/estimate-agent-run.ts';
import type { TransactionCtx } from '../context.ts';
import type { ProductName } from '../redemptions/product-names.ts';
import type { RunFigures } from './mean-of-runs.ts';

/** The properties that an agent's runs must share to count together. */
export interface BoardKey {
  readonly agentId: string;
  readonly product: ProductName;
  readonly suiteVersion: string;
  /** Empty without a private pack. */
  readonly packHash: string;
}

export interface RankedRun extends RunFigures {
  /** Host name and port of the target; null in pull mode. */
  readonly host: string | null;
  readonly finishedAt: Date;
}

/** @returns at most `limit`, newest first */
export function findNewestRankedRuns(
  ctx: TransactionCtx,
  key: BoardKey,
  limit: number,
): Promise<RankedRun[]> {
  switch (key.product) {
    case 'eval-run':
      return findEvalJobs(ctx, key, limit);
    case 'agent-run':
      return findAgentRuns(ctx, key, limit);
  }
}

/** Few of an agent's newest runs have another pack, so this skips them, up to a limit. */
const readRuns = 50;

async function findEvalJobs({ db }: TransactionCtx, key: BoardKey, limit: number): Promise<RankedRun[]> {
  const { runs } = db.tables;
  const newest = await db.query
    .select()
    .from(runs)
    .where(isOnBoard(runs, key))
    .orderBy(desc(runs.finishedAt), desc(runs.id))
    .limit(readRuns);
  return newest
    .filter((run) => packHashOf(run) === key.packHash)
    .slice(0, limit)
    .flatMap(({ score, estimate, targetUrl, finishedAt }) =>
      score === null || estimate === null || finishedAt === null
        ? []
        : [
            {
              score,
              interval: estimate.interval,
              level: estimate.level,
              host: hostOf(targetUrl),
              finishedAt,
            },
          ],
    );
}

async function findAgentRuns({ db }: TransactionCtx, key: BoardKey, limit: number): Promise<RankedRun[]> {
  const { runs } = db.tables;
  const newest = await db.query
    .select()
    .from(runs)
    .where(isOnBoard(runs, key))
    .orderBy(desc(runs.finishedAt), desc(runs.id))
    .limit(limit);
  return newest.flatMap(({ score, verdicts, targetUrl, finishedAt }: RunRow) =>
    score === null || verdicts === null || finishedAt === null
      ? []
      : [{ score, ...estimateAgentRun(verdicts), host: hostOf(targetUrl), finishedAt }],
  );
}

interface RunTable {
  readonly agentId: Column;
  readonly product: Column;
  readonly suiteVersion: Column;
  readonly status: Column;
  readonly ranked: Column;
}

function isOnBoard(runs: RunTable, { agentId, product, suiteVersion }: BoardKey): SQL | undefined {
  return and(
    eq(runs.agentId, agentId),
    isRankedRun(runs),
    eq(runs.product, product),
    eq(runs.suiteVersion, suiteVersion),
  );
}

export function packHashOf({ suitePack }: Pick<RunRow, 'suitePack'>): string {
  return suitePack?.hash ?? '';
}

/** The port is omitted if it is the default of the scheme. */
function hostOf(targetUrl: string | null): string | null {
  return targetUrl !== null && URL.canParse(targetUrl) ? new URL(targetUrl).host : null;
}
