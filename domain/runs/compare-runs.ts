/** Compares two completed runs of the same product and suite, case by case, in whichever order they ran. */
import { and, eq, sql } from 'drizzle-orm';
import { inList } from '#db/conditions.ts';
import { listParameter, prepareOnce } from '#db/prepared.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import {
  compareRuns as compareCases,
  type PairedCase,
  type RunComparison,
} from '#evals/own-suite/compare-runs.ts';
import { compareMetrics, type MetricChange, type Metrics } from '#evals/own-suite/metrics.ts';
import type { CaseIdentity } from '#evals/own-suite/identity.ts';
import type { StoredReview, StoredSuiteResult } from '#evals/own-suite/stored-trial.ts';
import { sourcesOf, type VerdictSources } from '#evals/report/verdict-notes.ts';
import { passesOf, shownIn } from '#evals/own-suite/trial-marks.ts';
import type { AgentCtx } from '../context.ts';
import { DomainError, invariant } from '../errors.ts';
import { operation } from '../operation.ts';
import { readResults } from './cases/read-results.ts';
import { noOwnRun, requireCompleted } from './find-run.ts';
import { productOf } from './products.ts';

type Pair<T> = readonly [before: T, after: T];

/** A comparison with the metrics of both runs, by name. */
export interface TrialsComparison extends RunComparison {
  readonly metrics: Readonly<Record<string, MetricChange>>;
}

export interface ComparedRuns extends TrialsComparison {
  readonly before: RunRow;
  readonly after: RunRow;
  readonly sources: Pair<VerdictSources>;
  /** The outcome of each trial of both runs. */
  readonly marks: Pair<StoredSuiteResult['marks']>;
}

/**
 * Compares `runId` (before) with `otherRunId` (after).
 *
 * @throws DomainError run_not_found; run_not_completed; invalid_parameter for one run twice; conflict for runs of different suites
 */
export async function compareRuns(
  ctx: AgentCtx,
  { runId, otherRunId }: { readonly runId: string; readonly otherRunId: string },
): Promise<ComparedRuns> {
  const [earlier, later] = await readPair(ctx, [runId, otherRunId]);
  return {
    before: earlier.run,
    after: later.run,
    sources: [earlier.sources, later.sources],
    marks: [earlier.marks, later.marks],
    ...compareTrials(earlier, later),
  };
}

/** @throws as `compareRuns` */
export async function readPair(ctx: AgentCtx, ids: Pair<string>): Promise<Pair<RunTrials>> {
  const own = await selectOwnRuns(ctx.db).execute({ ids: listParameter(ids), agentId: ctx.agent.id });
  const [before, after] = await readTrials(ctx, requireComparable(ids, own));
  invariant(before !== undefined && after !== undefined, 'Each run has its trials.');
  return [before, after];
}

const selectOwnRuns = prepareOnce((db) => {
  const { runs } = db.tables;
  return db.query
    .select()
    .from(runs)
    .where(and(inList(db, runs.id, sql.placeholder('ids')), eq(runs.agentId, sql.placeholder('agentId'))))
    .prepare('select_own_runs');
});

/** Of completed runs, in their order. */
export async function readTrials(
  ctx: Pick<AgentCtx, 'db'>,
  runs: readonly RunRow[],
): Promise<readonly RunTrials[]> {
  const results = await readResults(
    ctx,
    runs.map(({ id }) => id),
  );
  return Promise.all(
    runs.map(async (run) => {
      const result = results.get(run.id);
      invariant(result !== undefined, 'A completed run has a result.');
      const identities = await productOf(run).cases.identities(ctx, run, result);
      const { marks, metrics, reviews = [] } = result;
      const sources = sourcesOf(result);
      return { run, identities, marks, reviews, sources, ...(metrics === undefined ? {} : { metrics }) };
    }),
  );
}

/** One side of a comparison. */
export interface RunTrials {
  readonly run: RunRow;
  readonly identities: readonly CaseIdentity[];
  readonly marks: StoredSuiteResult['marks'];
  readonly reviews: readonly StoredReview[];
  readonly metrics?: Metrics;
  readonly sources: VerdictSources;
}

/**
 * Cases are compared if both runs have them with the same content or the same replies, or if they differ in their words
 * only.
 */
export function compareTrials(before: RunTrials, after: RunTrials): TrialsComparison {
  const isByKind = productOf(before.run).cases.isByKind === true;
  // One run is the other graded again: what changed is how.
  const isOfSameReplies =
    after.run.regradedFrom === before.run.id || before.run.regradedFrom === after.run.id;
  const [earlier, later] = [new Map(before.identities), new Map(after.identities)];
  const marksBefore = new Map(Object.entries(before.marks));
  const marksAfter = new Map(Object.entries(after.marks));
  const isSame = (id: string) =>
    isOfSameReplies || (earlier.get(id) !== undefined && earlier.get(id) === later.get(id));
  const shared = [...marksAfter.keys()].filter((id) => marksBefore.has(id));
  // Nearly all of them: a length that depends on results may differ.
  const isSameWords = !isByKind || shared.filter(isSame).length * 2 > shared.length;
  const pairs: PairedCase[] = [];
  const changed: string[] = [];
  let [added, unasked] = [0, 0];
  for (const [id, marks] of marksAfter) {
    const asked = marksBefore.get(id);
    if (asked === undefined && earlier.has(id) && isSame(id)) unasked += 1;
    else if (asked === undefined) added += 1;
    else if (isSameWords && !isSame(id)) changed.push(id);
    else pairs.push({ id, before: shownIn(asked), after: passesOf(marks) });
  }
  const isChosenAlike = isSameChoice(before.run, after.run);
  // In one version, cases that only one of the runs has were not asked in the other.
  const gone =
    before.run.suiteVersion === after.run.suiteVersion
      ? []
      : [...marksBefore.keys()].filter((id) => !marksAfter.has(id) && (isChosenAlike || !later.has(id)));
  const sample = isSameWords ? 'same cases' : 'same kinds';
  return {
    ...compareCases(pairs, { changed, added, unasked, gone, sample }),
    metrics: compareMetrics(before.metrics, after.metrics),
  };
}

/** Whether both asked all cases, or some that were chosen in the same way. */
export function isSameChoice({ only: one }: RunRow, { only: other }: RunRow): boolean {
  return one === null || other === null ? one === other : one.by !== undefined && one.by === other.by;
}

function requireComparable(ids: Pair<string>, own: readonly RunRow[]): Pair<RunRow> {
  const find = (runId: string): RunRow => {
    const found = own.find(({ id }) => id === runId);
    if (found === undefined) throw noOwnRun({ runId });
    return found;
  };
  const [first, second] = [find(ids[0]), find(ids[1])];
  if (first.product !== second.product) {
    const noun = productOf(first).describe.title.toLowerCase();
    throw new DomainError('conflict', `Run ${second.id} is not an ${noun}, unlike the other run.`, {
      hint: 'Compare two runs of the same product.',
    });
  }
  const pair = [requireCompleted(first), requireCompleted(second)] as const;
  if (ids[0] === ids[1]) {
    throw new DomainError('invalid_parameter', 'A run cannot be compared with itself.', {
      hint: `Name two different runs: ${operation('getRuns')} lists yours.`,
    });
  }
  requireSameSuite(pair);
  return pair;
}

/** Runs of different suites ask different things, so their scores are not comparable. */
function requireSameSuite([before, after]: Pair<RunRow>): void {
  // Versions of a published suite share cases.
  if (before.suiteId !== null && before.suiteId === after.suiteId) return;
  if (before.suiteName === after.suiteName && before.suiteVersion === after.suiteVersion) return;
  throw new DomainError(
    'conflict',
    `Run ${before.id} used ${nameSuite(before)}, run ${after.id} used ${nameSuite(after)}. Only runs of the same version can be compared.`,
    { hint: `${operation('getRuns')} shows the \`suite\` of each run.` },
  );
}

function nameSuite({ suiteName, suiteVersion }: RunRow): string {
  return `${suiteName} version ${suiteVersion}`;
}
