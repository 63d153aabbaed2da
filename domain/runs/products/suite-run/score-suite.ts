/** Scores a run of a suite. */
import type { SuiteCase } from '#evals/own-suite/document.ts';
import { type CaseTrials, flakyCases, passAll, passRate, rateByTag } from '#evals/own-suite/statistics.ts';
import type { StoredTrial, SuiteRunResult } from '#evals/own-suite/stored-trial.ts';
import { latencySummary } from '#evals/suite/latency-summary.ts';
import { roundToTenth } from '#evals/suite/round-to-tenth.ts';
import { addTokenUsage, type TokenUsage } from '#evals/suite/token-usage.ts';
import type { RunOutcome } from '../../run-outcome.ts';

/** A run with more ungraded trials than this share fails. */
const ungradedShareMax = 0.1;
const perMille = 1_000;

/** @param missing trials that were never asked or answered, which are stored when the run is settled */
export function scoreSuite(
  cases: readonly SuiteCase[],
  recorded: readonly StoredTrial[],
  missing: readonly StoredTrial[] = [],
): RunOutcome {
  const all = [...recorded, ...missing];
  const ungraded = all.filter(({ status }) => status === 'ungraded');
  const trials = trialsOf(cases, all);
  const [rate, whole] = [passRate(trials), passAll(trials)];
  if (rate === null || whole === null || ungraded.length > all.length * ungradedShareMax) {
    const reason = ungraded[0]?.ungraded ?? 'No reply was graded.';
    const message = `${ungraded.length} of ${all.length} replies could not be graded. The first reason: ${reason}`;
    return { kind: 'failed', code: 'ungraded', message: `${message} The run was refunded.` };
  }
  const latency = latencySummary(all);
  const result: SuiteRunResult = {
    pass_rate: { value: rounded(rate.value), low: rounded(rate.low), high: rounded(rate.high) },
    pass_k: { k: whole.k, value: rounded(whole.value) },
    flaky: flakyCases(trials),
    tags: Object.fromEntries(
      Object.entries(rateByTag(trials)).map(([tag, { value, cases: tagged }]) => [
        tag,
        { value: rounded(value), cases: tagged },
      ]),
    ),
    latency: latency === null ? null : { p50_ms: latency.p50_ms, p90_ms: latency.p90_ms },
    usage: all.reduce<TokenUsage | null>((sum, { usage = null }) => addTokenUsage(sum, usage), null),
    ungraded: ungraded.length,
  };
  const interval = { low: roundToTenth(100 * rate.low), high: roundToTenth(100 * rate.high) };
  return {
    kind: 'completed',
    score: roundToTenth(100 * rate.value),
    latency,
    estimate: { level: null, interval },
    scoreJson: { ...result },
    missing,
  };
}

/** What came of the trials of each case. Ungraded trials are left out. */
export function trialsOf(cases: readonly SuiteCase[], items: readonly StoredTrial[]): CaseTrials[] {
  const passes = new Map<string, boolean[]>(cases.map(({ id }) => [id, []]));
  for (const { case_id: id, status } of items) {
    if (status !== 'ungraded') passes.get(id)?.push(status === 'passed');
  }
  return cases.map(({ id, weight = 1, tags = [] }) => ({ id, weight, tags, passes: passes.get(id) ?? [] }));
}

function rounded(share: number): number {
  return Math.round(share * perMille) / perMille;
}
