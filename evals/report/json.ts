/** The report as JSON: what was decided, and the counts that it was decided on. */
import { safeJson } from '../export/run-export.ts';
import { roundRate } from '../rates.ts';
import { reachText } from './bars.ts';
import type { Report } from './report.ts';

export async function* writeJson({ run, summary, change, bars, outcome }: Report): AsyncGenerator<string> {
  const { passRate, interval } = run;
  yield `${safeJson({
    findings: run.findings ?? [],
    unseen: run.unseen,
    outcome,
    held: outcome === 'held',
    bars,
    run: {
      id: run.id,
      address: run.address,
      product: run.product,
      suite: run.suite,
      label: run.label,
      regraded_from: run.regradedFrom,
      cancelled: run.cancelled,
      score: roundRate(run.score),
      interval,
      pass_rate: { value: passRate.value, low: passRate.low, high: passRate.high },
    },
    judged_by_runner: run.judgedCases,
    lost_assertions: run.partialCases,
    overruled: run.overruledCases,
    tags: Object.fromEntries(run.tags.map(({ tag, ...share }) => [tag, share])),
    metrics: run.metrics,
    usage: run.usage,
    cases: { total: summary.items, ...summary.verdicts },
    trials: { total: summary.trials, errors: summary.errors, unanswered: run.unanswered },
    errors: summary.reasons.map(({ reason, trials, items }) => ({ reason, trials, cases: items })),
    comparison:
      change === null
        ? null
        : {
            baseline: change.baseline,
            with_other_runs: change.chosen.others,
            judged_by_runner: change.sources.judged,
            overruled: change.sources.overruled,
            verdict: change.verdict,
            p: change.p,
            reach: { ...change.reach, text: reachText(change.reach) },
            broken: change.broken,
            fixed: change.fixed,
            flaky_now: change.flakyNow,
            metrics: change.metrics,
          },
  })}\n`;
}
