/** The report of an own run: its bars and its comparison with an earlier run, decided on exact counts. */
import type { RunRow } from '#db/schema/run-tables.ts';
import { type BarsAsked, type Change, measureBars, outcomeOf } from '#evals/report/bars.ts';
import type { Report } from '#evals/report/report.ts';
import { summarize } from '#evals/report/summary.ts';
import { fractionOf, hundredfold } from '#evals/rates.ts';
import type { AgentCtx } from '../context.ts';
import { DomainError } from '../errors.ts';
import { operation } from '../operation.ts';
import { compareCaseByCase, compareRuns } from './compare-runs.ts';
import { exportFound } from './export-run.ts';
import { findEarlierRun, findOwnRun, type RunKey } from './find-run.ts';
import { type ProductName, productOf } from './products.ts';

export interface ReportRunInput extends RunKey, BarsAsked {
  /** `latest`, `branch:LABEL` or the id of a run; null without a comparison. */
  readonly baseline: string | null;
}

const labelled = 'branch:';

/**
 * @throws DomainError those of `exportRun`; invalid_parameter for a bar that the product does not have; with a baseline,
 *   those of comparisons
 */
export async function reportRun(
  ctx: AgentCtx,
  { runId, baseline, ...asked }: ReportRunInput,
): Promise<Report> {
  const run = await findOwnRun(ctx, { runId });
  requireBars(run, asked, baseline);
  const exported = await exportFound(ctx, run);
  const earlier = baseline === null ? null : await findBaseline(ctx, run, baseline);
  const change = earlier === null ? null : await compareWith(ctx, run, earlier);
  const summary = await summarize(exported);
  const { passRate, score } = exported;
  const bars = measureBars(asked, {
    passRate: passRate?.exact ?? null,
    score: passRate === null ? fractionOf(score) : hundredfold(passRate.exact),
    change,
    baseline,
  });
  return { run: exported, summary, change, bars, outcome: outcomeOf(bars, summary) };
}

function requireBars(run: RunRow, { minPass, failOn }: BarsAsked, baseline: string | null): void {
  const isSuite = productOf(run).compareCases !== null;
  if (failOn !== undefined && baseline === null)
    throw refusedBar('fail_on', 'needs a run to compare with', 'Add `baseline=latest`.');
  if (isSuite) return;
  const { noun } = productOf(run).describe;
  if (minPass !== undefined) throw refusedBar('min_pass', `does not apply to an ${noun}`, 'Use `min_score`.');
  if (failOn === 'broken') {
    throw refusedBar(
      'fail_on=broken',
      `does not apply to an ${noun}, whose cases differ`,
      'Use `fail_on=worse`.',
    );
  }
}

function refusedBar(name: string, why: string, hint: string): DomainError {
  return new DomainError('invalid_parameter', `\`${name}\` ${why}.`, { hint });
}

/** @returns null if there is no such run */
async function findBaseline(ctx: AgentCtx, run: RunRow, baseline: string): Promise<RunRow | null> {
  if (baseline === 'latest') return findEarlierRun(ctx, run);
  if (baseline.startsWith(labelled)) return findEarlierRun(ctx, run, baseline.slice(labelled.length));
  const found = await findOwnRun(ctx, { runId: baseline });
  if (found.product === run.product && found.suiteName === run.suiteName) return found;
  throw new DomainError(
    'invalid_parameter',
    `The run ${baseline} of \`baseline\` is of ${found.product} ${found.suiteName}.`,
    { hint: `Name a run of the same suite, or use \`latest\`. ${operation('getRuns')} lists yours.` },
  );
}

async function compareWith(ctx: AgentCtx, run: RunRow, earlier: RunRow): Promise<Change> {
  // The products of this version are the names of the type.
  const key = { product: run.product as ProductName, runId: earlier.id, otherRunId: run.id };
  if (productOf(run).compareCases !== null) {
    const { verdict, p, reach, broken, fixed, flaky_now: flakyNow } = await compareCaseByCase(ctx, key);
    return { baseline: earlier.id, verdict, p, reach, broken, fixed, flakyNow };
  }
  const { outcome, clear, p } = (await compareRuns(ctx, key)).score;
  const verdict = clear && outcome !== 'same' ? outcome : 'no clear change';
  return { baseline: earlier.id, verdict, p, reach: null, broken: [], fixed: [], flakyNow: [] };
}
