/** The report of an own run: its bars and its comparison with an earlier run, decided on exact counts. */
import type { RunRow } from '#db/schema/run-tables.ts';
import { type BarsAsked, type Change, type Measured, measureBars, outcomeOf } from '#evals/report/bars.ts';
import type { ExportedRun } from '#evals/export/run-export.ts';
import type { Report } from '#evals/report/report.ts';
import { summarize } from '#evals/report/summary.ts';
import type { AgentCtx } from '../context.ts';
import { DomainError } from '../errors.ts';
import { compareTrials } from './compare-runs.ts';
import { exportRun } from './export-run.ts';
import { chooseBaseline, findOtherLabels } from './choose-baseline.ts';
import { findOwnRun, type RunKey } from './find-run.ts';

export interface ReportRunInput extends RunKey, BarsAsked {
  /** `latest`, `branch:LABEL` or the id of a run; null without a comparison. */
  readonly baseline: string | null;
}

/**
 * @throws DomainError those of `exportRun`; invalid_parameter for a bar that the product does not have; with a baseline,
 *   those of comparisons
 */
export async function reportRun(
  ctx: AgentCtx,
  { runId, baseline, ...asked }: ReportRunInput,
): Promise<Report> {
  const run = await findOwnRun(ctx, { runId });
  requireBars(asked, baseline);
  const exported = await exportRun(ctx, run);
  const change = baseline === null ? null : await compareWith(ctx, run, baseline);
  const otherLabels = baseline === null || change !== null ? null : await findOtherLabels(ctx, run, baseline);
  return reportOf(exported, asked, { baseline, change, otherLabels });
}

/** The report that stands for the scorecard of a completed run: without bars, and also once its cases were deleted. */
export async function reportPlain(ctx: AgentCtx, run: RunRow): Promise<Report> {
  return reportOf(await exportRun(ctx, run, { mayBePruned: true }), {}, { baseline: null, change: null });
}

async function reportOf(
  exported: ExportedRun,
  asked: BarsAsked,
  compared: Pick<Measured, 'baseline' | 'change' | 'otherLabels'>,
): Promise<Report> {
  const summary = await summarize(exported);
  const { titles } = summary;
  const bars = measureBars(asked, { passRate: exported.passRate.exact, titles, ...compared });
  return {
    run: exported,
    summary,
    change: compared.change,
    bars,
    outcome: outcomeOf(bars, summary, exported.unanswered),
  };
}

function requireBars({ failOn }: BarsAsked, baseline: string | null): void {
  if (failOn === undefined || baseline !== null) return;
  throw new DomainError('invalid_parameter', '`fail_on` needs a run to compare with.', {
    hint: 'Add `baseline=latest`.',
  });
}

async function compareWith(ctx: AgentCtx, run: RunRow, baseline: string): Promise<Change | null> {
  const found = await chooseBaseline(ctx, run, baseline);
  if (found === null) return null;
  const { before, after, chosen } = found;
  const { broken: brokenNow, flaky_now: flakyNow, ...compared } = compareTrials(before, after);
  const { verdict, p, reach, fixed, metrics } = compared;
  const allBroken = found.broken.union(new Set(brokenNow));
  const broken = Object.keys(after.marks).filter((id) => allBroken.has(id));
  const change = { verdict, p, reach, broken, fixed, flakyNow, metrics, sources: before.sources };
  return { baseline: before.run.id, chosen, ...change };
}
