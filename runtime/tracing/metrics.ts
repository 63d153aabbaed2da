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

/** Metrics that `metric-series.ts` renders itself. */
export const seriesTexts: (() => string)[] = [];

/** All metrics of this process and of `others`, in Prometheus' text format. */
export async function renderMetrics(...others: readonly Registry[]): Promise<string> {
  const texts = await Promise.all([processRegistry, ...others].map((registry) => registry.metrics()));
  return [...texts, ...seriesTexts.map((text) => text())].join('');
}
