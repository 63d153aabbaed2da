/**
 * One series of a metric, for events of every request: prom-client hashes and checks the labels of each event again,
 * which takes longer than the rest of the log and the metrics of a read.
 */
import type { Counter, Histogram } from './metrics.ts';

type Labels<Label extends string> = Readonly<Record<Label, string | number>>;

interface CounterSeries {
  readonly labels: Readonly<Record<string, unknown>>;
  value: number;
}

interface HistogramSeries {
  readonly labels: Readonly<Record<string, unknown>>;
  /** By upper bound, not cumulative. */
  readonly bucketValues: Record<number, number>;
  sum: number;
  count: number;
}

/** What prom-client stores and does not declare. */
interface Internals<Series> {
  readonly hashMap: Readonly<Record<string, Series>>;
}

/** @returns a function that counts an event */
export function counterSeries<Label extends string>(
  metric: Counter<Label>,
  labels: Labels<Label>,
): () => void {
  metric.inc(labels, 0);
  const series = seriesOf(metric, labels) as CounterSeries;
  return () => {
    series.value += 1;
  };
}

/** @returns a function that records a value */
export function histogramSeries<Label extends string>(
  metric: Histogram<Label>,
  labels: Labels<Label>,
): (value: number) => void {
  if (findSeries(metric, labels) === undefined) metric.zero(labels);
  const series = seriesOf(metric, labels) as HistogramSeries;
  const bounds = Object.keys(series.bucketValues)
    .map(Number)
    .toSorted((one, other) => one - other);
  return (value) => {
    series.sum += value;
    series.count += 1;
    const bound = bounds.find((upper) => value <= upper);
    if (bound !== undefined) series.bucketValues[bound] = (series.bucketValues[bound] ?? 0) + 1;
  };
}

/** A counter stores values, a histogram stores buckets. */
function seriesOf(metric: object, labels: Labels<string>): unknown {
  const series = findSeries(metric, labels);
  if (series === undefined) throw new Error('prom-client stores its series in another form.');
  return series;
}

function findSeries(metric: object, labels: Labels<string>): unknown {
  const { hashMap } = metric as Internals<{ readonly labels: Labels<string> }>;
  return Object.values(hashMap).find((series) =>
    Object.entries(labels).every(([name, value]) => series.labels[name] === value),
  );
}
