/**
 * Metrics of every request. prom-client hashes and checks the labels of each event, which takes longer than the rest of
 * the log and the metrics of a read. Here, a caller looks up a series once and then only counts.
 */
import { seriesTexts } from './metrics.ts';

type Labels<Label extends string> = Readonly<Record<Label, string | number>>;

/** @returns a function that returns, for a series, one that counts an event */
export function seriesCounter<Label extends string>(
  name: string,
  help: string,
): (labels: Labels<Label>) => () => void {
  const counts = createSeries(name, help, 'counter', (labels, { count }: { count: number }) => [
    `${name}{${labels}} ${count}`,
  ]);
  return (labels) => {
    const own = counts(labels, () => ({ count: 0 }));
    return () => {
      own.count += 1;
    };
  };
}

interface Buckets {
  /** By index of the upper bound, not cumulative. */
  readonly counts: number[];
  sum: number;
  count: number;
}

/**
 * @param bounds in ascending order
 * @returns a function that returns, for a series, one that records a value
 */
export function seriesHistogram<Label extends string>(
  name: string,
  help: string,
  bounds: readonly number[],
): (labels: Labels<Label>) => (value: number) => void {
  const series = createSeries(name, help, 'histogram', (labels, { counts, sum, count }: Buckets) => {
    let below = 0;
    return [
      ...bounds.map((bound, index) => {
        below += counts[index] ?? 0;
        return `${name}_bucket{le="${bound}",${labels}} ${below}`;
      }),
      `${name}_bucket{le="+Inf",${labels}} ${count}`,
      `${name}_sum{${labels}} ${sum}`,
      `${name}_count{${labels}} ${count}`,
    ];
  });
  return (labels) => {
    const own = series(labels, () => ({ counts: bounds.map(() => 0), sum: 0, count: 0 }));
    return (value) => {
      own.sum += value;
      own.count += 1;
      const bucket = bounds.findIndex((upper) => value <= upper);
      if (bucket !== -1) own.counts[bucket] = (own.counts[bucket] ?? 0) + 1;
    };
  };
}

/** @returns a function that finds or makes a series; labels are of fixed lists, so they need no escapes */
function createSeries<Series>(
  name: string,
  help: string,
  type: string,
  linesOf: (labels: string, series: Series) => readonly string[],
): (labels: Labels<string>, make: () => Series) => Series {
  const all = new Map<string, Series>();
  seriesTexts.push(() => {
    const lines = [...all].flatMap(([labels, series]) => linesOf(labels, series));
    return `${[`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines].join('\n')}\n`;
  });
  return (labels, make) => {
    const key = Object.entries(labels)
      .map(([label, value]) => `${label}="${value}"`)
      .join(',');
    const known = all.get(key) ?? make();
    all.set(key, known);
    return known;
  };
}
