/** Compares two completed runs of the same product and suite, in whichever order they ran. */
import { and, desc, eq, gte, inArray, isNull, lte } from 'drizzle-orm';
import { isCompletedRun } from '#db/schema/index-conditions.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import { pipelined } from '#db/pipelined.ts';
import type { RunComparison as Changes } from '#evals/suite/compare-runs.ts';
import type { StoredItem } from '#evals/stored-item.ts';
import type { AgentCtx } from '../context.ts';
import { DomainError, invariant } from '../errors.ts';
import { operation } from '../operation.ts';
import type { Product } from './product.ts';
import { type ProductName, productOf } from './products.ts';
import type { CaseComparison } from './products/suite-run/compare-trials.ts';
import { readSuiteResults } from './show-run.ts';

export interface ComparedSide {
  readonly run: RunRow;
  /** The added earlier runs, newest first. */
  readonly pooled: readonly RunRow[];
}

export interface RunComparison extends Changes {
  readonly before: ComparedSide;
  readonly after: ComparedSide;
}

export interface CompareRunsInput {
  readonly product: ProductName;
  readonly runId: string;
  readonly otherRunId: string;
  /** Whether to add earlier runs: those before the older run to its side, those since then to the newer side. */
  readonly pool?: boolean;
}

/** At most this many runs are added to each side, so that a comparison reads a bounded number of items. */
export const pooledRunsMax = 4;
/** The number of rows to read for them; runs that do not fit are skipped. */
const pooledRunsReadMax = 20;

export interface ComparedCases extends CaseComparison {
  readonly before: RunRow;
  readonly after: RunRow;
}

/**
 * Compares two runs case by case, `runId` (before) with `otherRunId` (after).
 *
 * @throws DomainError run_not_found, run_not_completed, invalid_parameter for one run twice, product_mismatch,
 *   suite_version_mismatch for runs of different suites
 */
export async function compareCaseByCase(
  ctx: AgentCtx,
  { product: name, runId, otherRunId }: Omit<CompareRunsInput, 'pool'>,
): Promise<ComparedCases> {
  const { runs, suiteVersions } = ctx.db.tables;
  const ids = [runId, otherRunId] as const;
  const own = await ctx.db.query
    .select()
    .from(runs)
    .where(and(inArray(runs.id, [...ids]), eq(runs.agentId, ctx.agent.id)));
  const product = productOf({ product: name });
  const [before, after] = requireComparable(product, ids, own);
  const versions = await ctx.db.query
    .select({ id: suiteVersions.id, identities: suiteVersions.caseIdentities })
    .from(suiteVersions)
    .where(
      inArray(
        suiteVersions.id,
        [before, after].flatMap(({ suiteVersionId: id }) => id ?? []),
      ),
    );
  const results = await readSuiteResults(ctx, ids);
  const sideOf = (run: RunRow) => ({
    identities: versions.find(({ id }) => id === run.suiteVersionId)?.identities ?? [],
    marks: results.get(run.id)?.marks ?? {},
  });
  const changes = product.compareCases?.(sideOf(before), sideOf(after));
  invariant(changes !== undefined, 'Both runs are of the same product.');
  return { before, after, ...changes };
}

type Pair<T> = readonly [before: T, after: T];

/**
 * Compares `runId` (before) with `otherRunId` (after).
 *
 * @throws DomainError the product's codes, invalid_parameter for one run twice, product_mismatch, suite_version_mismatch
 */
export async function compareRuns(
  ctx: AgentCtx,
  { product: name, runId, otherRunId, pool = false }: CompareRunsInput,
): Promise<RunComparison> {
  const product = productOf({ product: name });
  const { runs } = ctx.db.tables;
  const ids = [runId, otherRunId] as const;
  const own = await ctx.db.query
    .select()
    .from(runs)
    .where(and(inArray(runs.id, [...ids]), eq(runs.agentId, ctx.agent.id)));
  const pair = requireComparable(product, ids, own);
  if (product.compare === null) throw new Error(`Runs of ${product.name} are compared case by case.`);
  const [pooledBefore, pooledAfter] = pool ? await poolRuns(ctx, pair) : [[], []];
  const before = { run: pair[0], pooled: pooledBefore };
  const after = { run: pair[1], pooled: pooledAfter };
  const casesOf = await readCases(ctx, [before, after]);
  const changes = product.compare({ ...before, cases: casesOf(before) }, { ...after, cases: casesOf(after) });
  return { before, after, ...changes };
}

function requireComparable(product: Product, ids: Pair<string>, own: readonly RunRow[]): Pair<RunRow> {
  const { noun, list } = product.describe;
  const runs = own.filter((run) => run.product === product.name);
  const other = own.find((run) => run.product !== product.name);
  if (runs.length > 0 && other !== undefined) {
    throw new DomainError('product_mismatch', `Run ${other.id} is not an ${noun}, unlike the other run.`, {
      hint: 'Compare two runs of the same product.',
    });
  }
  const pair = [requireCompleted(product, runs, ids[0]), requireCompleted(product, runs, ids[1])] as const;
  if (ids[0] === ids[1]) {
    throw new DomainError('invalid_parameter', 'A run cannot be compared with itself.', {
      hint: `Name two different runs: ${operation(list)} lists yours.`,
    });
  }
  requireSameSuite(product, pair);
  requireSameCodeTool(product, pair);
  return pair;
}

function requireCompleted({ describe }: Product, runs: readonly RunRow[], id: string): RunRow {
  const { noun, notFound, notCompleted, list } = describe;
  const run = runs.find((candidate) => candidate.id === id);
  if (run === undefined) {
    throw new DomainError(notFound, `You have no ${noun} with the id ${id}.`, {
      hint: `${operation(list)} lists your runs.`,
    });
  }
  if (run.status === 'completed') return run;
  throw new DomainError(notCompleted, `Run ${id} is ${run.status}. Only completed runs can be compared.`, {
    hint: `${operation(list)} shows the \`status\` of each run.`,
  });
}

/** Runs of different suites ask different things, so their scores are not comparable. */
function requireSameSuite(
  { compareCases, describe: { list } }: Product,
  [before, after]: Pair<RunRow>,
): void {
  // Versions of one suite share cases.
  if (compareCases !== null && before.suiteId !== null && before.suiteId === after.suiteId) return;
  if (before.suiteName !== after.suiteName || before.suiteVersion !== after.suiteVersion) {
    throw new DomainError(
      'suite_version_mismatch',
      `Run ${before.id} used ${nameSuite(before)}, run ${after.id} used ${nameSuite(after)}. Only runs of the same version can be compared.`,
      { hint: `${operation(list)} shows the \`suite\` of each run.` },
    );
  }
}

function whatItSays({ codeTool }: RunRow): string {
  return codeTool === null ? 'does not say' : `says ${codeTool}`;
}

/** An agent that runs code solves other things than one that only thinks. */
function requireSameCodeTool({ describe: { list } }: Product, [before, after]: Pair<RunRow>): void {
  if (before.codeTool === after.codeTool) return;
  throw new DomainError(
    'code_tool_mismatch',
    `Run ${before.id} ${whatItSays(before)} whether the agent can run code (\`code_tool\`), run ${after.id} ${whatItSays(after)}.`,
    { hint: `Compare runs with the same \`code_tool\`: ${operation(list)} shows it.` },
  );
}

function nameSuite({ suiteName, suiteVersion }: RunRow): string {
  return `${suiteName} version ${suiteVersion}`;
}

/** The earlier runs to add to each of two runs: those before the older one, and those between the two. */
async function poolRuns(ctx: AgentCtx, [one, other]: Pair<RunRow>): Promise<Pair<readonly RunRow[]>> {
  const find = async (run: RunRow, since: RunRow | null): Promise<readonly RunRow[]> =>
    (await readEarlier(ctx, run, since))
      .filter((earlier) => mayBePooled(earlier, run) && endedBefore(earlier, run))
      .filter((earlier) => since === null || endedBefore(since, earlier))
      .slice(0, pooledRunsMax);
  const oneIsOlder = endedBefore(one, other);
  return pipelined(find(one, oneIsOlder ? null : other), find(other, oneIsOlder ? one : null));
}

function isPlain({ repeat, replayOf }: RunRow): boolean {
  return repeat === 1 && replayOf === null;
}

/** Items of a replay are no further evidence, and trials of a case are correlated. */
function mayBePooled(earlier: RunRow, run: RunRow): boolean {
  return earlier.codeTool === run.codeTool && isPlain(earlier) && isPlain(run);
}

/** Ids are ordered like the redemptions. */
function endedBefore(one: RunRow, other: RunRow): boolean {
  const [first, second] = [one.finishedAt?.getTime() ?? 0, other.finishedAt?.getTime() ?? 0];
  return first === second ? one.id < other.id : first < second;
}

/** Completed runs whose items are still stored, that ended no later than `run` and not before `since`, newest first. */
async function readEarlier({ db }: AgentCtx, run: RunRow, since: RunRow | null): Promise<RunRow[]> {
  const { runs } = db.tables;
  if (run.itemsPrunedAt !== null || run.finishedAt === null) return [];
  const isSameSuite = and(eq(runs.product, run.product), eq(runs.suiteVersion, run.suiteVersion));
  return db.query
    .select()
    .from(runs)
    .where(
      and(
        eq(runs.agentId, run.agentId),
        isCompletedRun(runs),
        lte(runs.finishedAt, run.finishedAt),
        since?.finishedAt ? gte(runs.finishedAt, since.finishedAt) : undefined,
        isSameSuite,
        isNull(runs.itemsPrunedAt),
      ),
    )
    .orderBy(desc(runs.finishedAt), desc(runs.id))
    .limit(pooledRunsReadMax);
}

async function readCases({ db }: AgentCtx, sides: readonly ComparedSide[]) {
  const { runItems } = db.tables;
  const idsOf = ({ run, pooled }: ComparedSide) => [run.id, ...pooled.map(({ id }) => id)];
  const rows = await db.query
    .select({ runId: runItems.runId, result: runItems.result })
    .from(runItems)
    .where(inArray(runItems.runId, sides.flatMap(idsOf)));
  return (side: ComparedSide): StoredItem[] => {
    const ids = new Set(idsOf(side));
    return rows.filter(({ runId }) => ids.has(runId)).map(({ result }) => result);
  };
}
