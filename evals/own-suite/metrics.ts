/** Named metrics of a suite: of the graders that name the same `metric`, how many passed, over all replies. */
import type { GraderSpec } from './document.ts';
import { roundRate } from '../rates.ts';
import type { SuiteRunResult } from './shown-run.ts';
import type { TrialEnd } from '../stored-item.ts';

/** Of the verdicts of its graders. A trial in error counts as failed, one that is ungraded not at all. */
export type Metrics = NonNullable<SuiteRunResult['metrics']>;

interface Graded extends Pick<TrialEnd, 'status'> {
  readonly case_id: string;
  /** In the order of what the case expects; empty without a reply. */
  readonly graders: readonly { readonly passed: boolean | null }[];
}

const shareDigits = 3;

interface MetricsOf {
  readonly cases: readonly { readonly id: string; readonly expect?: readonly GraderSpec[] }[];
  readonly trials: readonly Graded[];
  /** What is known of other trials, and of the same ones before they changed. */
  readonly known?: Metrics;
  readonly replaced?: readonly Graded[];
}

/** Without `metrics` if no grader of a metric has a verdict. */
export function metricsOf({ cases, trials, known = {}, replaced = [] }: MetricsOf): {
  readonly metrics?: Metrics;
} {
  const named = new Map(cases.map(({ id, expect = [] }) => [id, expect.map(metricOf)]));
  const counts = new Map<string, Omit<Metrics[string], 'value'>>(Object.entries(known));
  const add = (each: Graded, times: 1 | -1): void => {
    if (each.status === 'ungraded') return;
    for (const [at, metric] of (named.get(each.case_id) ?? []).entries()) {
      if (metric === null || (each.status !== 'error' && each.graders[at]?.passed === null)) continue;
      const { passed, graded } = counts.get(metric) ?? { passed: 0, graded: 0 };
      const isPassed = each.graders[at]?.passed === true;
      counts.set(metric, { passed: passed + times * Number(isPassed), graded: graded + times });
    }
  };
  for (const each of replaced) add(each, -1);
  for (const each of trials) add(each, 1);
  const metrics = [...counts]
    .filter(([, { graded }]) => graded > 0)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([metric, { passed, graded }]) => {
      const value = roundRate(passed / graded, shareDigits, 1);
      return [metric, { value, passed, graded }] as const;
    });
  return metrics.length === 0 ? {} : { metrics: Object.fromEntries(metrics) };
}

export function metricOf({ metric }: GraderSpec): string | null {
  return typeof metric === 'string' ? metric : null;
}

/** A metric of two runs; null where one of them has none of its graders. */
export interface MetricChange {
  readonly before: number | null;
  readonly after: number | null;
}

export function compareMetrics(before: Metrics = {}, after: Metrics = {}): Record<string, MetricChange> {
  const names = [...new Set([...Object.keys(after), ...Object.keys(before)])];
  return Object.fromEntries(
    names.map((name) => [name, { before: before[name]?.value ?? null, after: after[name]?.value ?? null }]),
  );
}
