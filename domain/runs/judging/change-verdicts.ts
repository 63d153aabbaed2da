/** Changes verdicts of a completed run, with all figures that follow from them. */
import { and, eq, sql } from 'drizzle-orm';
import { isUnjudged } from '#db/schema/index-conditions.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import { metricsOf } from '#evals/own-suite/metrics.ts';
import type { StoredReview, StoredSuiteResult, StoredTrial } from '#evals/own-suite/stored-trial.ts';
import { marksOfStatuses } from '#evals/own-suite/trial-marks.ts';
import { waitsForJudges } from '../cases/trials.ts';
import type { AgentCtx, Ctx, TransactionCtx } from '../../context.ts';
import { invariant } from '../../errors.ts';
import { figuresOf, withAnswered } from '../cases/score-cases.ts';
import { readResult } from '../cases/read-results.ts';
import { itemsGone, lockOwnRun, requireCompleted, requireItems, type RunKey } from '../find-run.ts';
import { productOf } from '../products.ts';
import type { AskedCases } from '../run-plan.ts';
import { listItems } from '../store-items.ts';

/** A completed run that its owner has locked. */
export interface OpenedRun {
  readonly run: RunRow;
  readonly result: StoredSuiteResult;
  readonly asked: AskedCases;
}

/** @throws DomainError run_not_found, run_not_completed, gone */
export async function openCompleted(ctx: AgentCtx & TransactionCtx, { runId }: RunKey): Promise<OpenedRun> {
  const run = requireItems(requireCompleted(await lockOwnRun(ctx, { runId })));
  const result = await readResult(ctx, run.id);
  invariant(result !== undefined, 'A completed run has a result.');
  const asked = await productOf(run).cases.asked(ctx, run, result.marks);
  if (asked === null) throw itemsGone(run);
  return { run, result, asked };
}

/** @param more what becomes of the summary of judges, and of the reviews */
export async function storeVerdicts(
  { db }: TransactionCtx,
  { run, result, asked }: OpenedRun,
  changed: readonly StoredTrial[],
  more: Pick<StoredSuiteResult, 'judged' | 'reviews'>,
): Promise<StoredSuiteResult> {
  const { runItems, runScorecards, runs } = db.tables;
  const metrics = await renewMetrics(db, { run, result, asked }, changed);
  for (const trial of changed) {
    await db.query
      .update(runItems)
      .set({ result: trial, share: trial.score, unjudged: waitsForJudges(trial) })
      .where(and(eq(runItems.runId, run.id), eq(runItems.itemIndex, trial.index)));
  }
  const figures = figuresOf(asked.cases, withTrials(result.marks, changed));
  invariant(figures !== null, 'A completed run has graded trials.');
  const tags = withAnswered(figures.result.tags, (tag) => result.tags[tag]?.answered ?? 0);
  const { metrics: _known, ...kept } = { ...result, ...more };
  const renewed: StoredSuiteResult = {
    ...kept,
    ...figures.result,
    tags,
    ...metrics,
    ...(kept.judged && { judged: { ...kept.judged, open: await countUnjudged({ db }, run.id) } }),
    ...(kept.reviews && { reviewed: reviewedFigures(asked.cases, figures.result.marks, kept.reviews) }),
  };
  await db.query
    .update(runScorecards)
    .set({ scoreJson: { ...renewed }, changes: sql`${runScorecards.changes} + 1` })
    .where(eq(runScorecards.runId, run.id));
  await db.query
    .update(runs)
    .set({ score: figures.score, estimate: { ...run.estimate, interval: figures.interval } })
    .where(eq(runs.id, run.id));
  return renewed;
}

export async function countUnjudged({ db }: Pick<Ctx, 'db'>, runId: string): Promise<number> {
  const { runItems } = db.tables;
  return db.query.$count(runItems, and(eq(runItems.runId, runId), isUnjudged(runItems)));
}

/** What was decided, and the pass rate without it. */
function reviewedFigures(
  cases: AskedCases['cases'],
  marks: StoredSuiteResult['marks'],
  reviews: readonly StoredReview[],
): NonNullable<StoredSuiteResult['reviewed']> {
  const graded = reviews.map(({ was, ...review }) => ({ ...review, status: was }));
  const { pass_rate: before = null } = figuresOf(cases, withTrials(marks, graded))?.result ?? {};
  const changed = reviews.filter(({ passed, was }) => was !== (passed ? 'passed' : 'failed'));
  return {
    confirmed: reviews.length - changed.length,
    overruled: [...new Set(changed.map(({ case_id: id }) => id))],
    as_graded: before,
  };
}

/** Other trials are not read again: there may be thousands. */
async function renewMetrics(
  db: TransactionCtx['db'],
  { run, result: { metrics: known = {} }, asked: { cases } }: OpenedRun,
  changed: readonly StoredTrial[],
): Promise<Pick<StoredSuiteResult, 'metrics'>> {
  const replaced = await listItems(
    { db },
    run.id,
    changed.map(({ index }) => index),
  );
  return metricsOf({ cases, trials: changed, known, replaced });
}

/** The marks of a run after some of its trials got another verdict. */
export function withTrials(
  marks: StoredSuiteResult['marks'],
  changed: readonly Pick<StoredTrial, 'case_id' | 'trial' | 'status'>[],
): StoredSuiteResult['marks'] {
  const renewed = new Map(Object.entries(marks));
  for (const { case_id: id, trial, status } of changed) {
    const letters = (renewed.get(id) ?? '').split('');
    letters[trial - 1] = marksOfStatuses([status]);
    renewed.set(id, letters.join(''));
  }
  return Object.fromEntries(renewed);
}
