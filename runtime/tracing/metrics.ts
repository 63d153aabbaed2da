/**
 * Prometheus metrics. Each part of the hub declares its metrics beside its code. A process has one registry,
 * shown at `/metrics`. Labels only take values of a fixed list (declared routes, queues, kinds, codes), so no
 * client can create a series.
 */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

export { Registry } from 'prom-client';
export type { Counter, Gauge, Histogram } from 'prom-client';

const processRegistry = new Registry();

/** In seconds, from a fast read to a request that waits for Redis as long as it may. */
export const requestSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** In seconds, from a job with nothing to do to a run at its deadline. */
export const jobSeconds = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

export function counter<Label extends string = never>(
  name: string,
  help: string,
  labelNames: readonly Label[] = [],
): Counter<Label> {
  return new Counter({ name, help, labelNames, registers: [processRegistry] });
}

export function gauge<Label extends string = never>(
  name: string,
  help: string,
  labelNames: readonly Label[] = [],
  registry: Registry = processRegistry,
): Gauge<Label> {
  return new Gauge({ name, help, labelNames, registers: [registry] });
}

/** A counter that is read only when the metrics are shown. @param read the total so far */
export function counterOnDemand(name: string, help: string, read: () => number): Counter {
  let counted = 0;
  return new Counter({
    name,
    help,
    registers: [processRegistry],
    collect() {
      const total = read();
      this.inc(Math.max(0, total - counted));
      counted = Math.max(counted, total);
    },
  });
}

/** A gauge that is read only when the metrics are shown. */
export function gaugeOnDemand(name: string, help: string, read: () => number): Gauge {
  return new Gauge({
    name,
    help,
    registers: [processRegistry],
    collect() {
      this.set(read());
    },
  });
}

export function histogram<Label extends string = never>(
  name: string,
  help: string,
  buckets: readonly number[],
  labelNames: readonly Label[] = [],
): Histogram<Label> {
  return new Histogram({ name, help, labelNames, buckets: [...buckets], registers: [processRegistry] });
}

export const metricsContentType = Registry.PROMETHEUS_CONTENT_TYPE;

/** Metrics that render themselves: those of every request. */
export const seriesTexts: (() => string)[] = [];

/** All metrics of this process and of `others`, in Prometheus' text format. */
export async function renderMetrics(...others: readonly Registry[]): Promise<string> {
  const texts = await Promise.all([processRegistry, ...others].map((registry) => registry.metrics()));
  return [...texts, ...seriesTexts.map((text) => text())].join('');
}

type Labels<Label extends string> = Readonly<Record<Label, string | number>>;

/**
 * Metrics of every request. prom-client hashes and checks the labels of each event, which takes longer than the rest of
 * the log and the metrics of a read. Here, a caller looks up a series once and then only counts.
 *
 * @returns a function that returns, for a series, one that counts an event
 */
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
