/**
 * The numbers that a process tells Prometheus. Each part of the hub declares its own beside its code; a process has one
 * registry, as it has one log, and shows it at `/metrics`. Labels take values of a fixed list only (routes as declared,
 * queues, kinds, codes), so that no client can make a series.
 */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

export { Registry } from 'prom-client';
export type { Counter, Gauge, Histogram } from 'prom-client';

const processRegistry = new Registry();

/** From a fast read to a request that waits for Redis as long as it may, in seconds. */
export const requestSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** From a job that finds nothing to do to a run at its deadline, in seconds. */
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

export function histogram<Label extends string = never>(
  name: string,
  help: string,
  buckets: readonly number[],
  labelNames: readonly Label[] = [],
): Histogram<Label> {
  return new Histogram({ name, help, labelNames, buckets: [...buckets], registers: [processRegistry] });
}

export const metricsContentType = Registry.PROMETHEUS_CONTENT_TYPE;

/** All numbers of this process in Prometheus' text form, with those of `others`. */
export async function renderMetrics(...others: readonly Registry[]): Promise<string> {
  const texts = await Promise.all([processRegistry, ...others].map((registry) => registry.metrics()));
  return texts.join('');
}
