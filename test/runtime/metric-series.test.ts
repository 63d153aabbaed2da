import { expect, test } from 'bun:test';
import { Counter, Histogram, Registry } from 'prom-client';
import { counterSeries, histogramSeries } from '#runtime/tracing/metric-series.ts';

test('events of a series are shown like those counted by their labels', async () => {
  const labels = { method: 'GET', status: 200 };
  const help = 'For a test.';
  const text = async (record: (counter: Counter, histogram: Histogram) => void): Promise<string> => {
    const registry = new Registry();
    const registers = [registry];
    const counter = new Counter({ name: 'events', help, labelNames: ['method', 'status'], registers });
    const histogram = new Histogram({
      name: 'seconds',
      help,
      labelNames: ['method', 'status'],
      buckets: [0.01, 0.1, 1, 10],
      registers,
    });
    record(counter, histogram);
    return registry.metrics();
  };
  const values = [0, 0.01, 0.011, 0.1, 0.5, 1, 9.99, 10, 10.01, 1_000];

  const bySeries = await text((counter, histogram) => {
    const count = counterSeries(counter, labels);
    const observe = histogramSeries(histogram, labels);
    counterSeries(counter, { method: 'GET', status: 404 });
    for (const value of values) {
      count();
      observe(value);
    }
    // A second series of the same labels continues the first.
    counterSeries(counter, labels)();
    histogramSeries(histogram, labels)(3);
  });
  const byLabels = await text((counter, histogram) => {
    counter.inc(labels, 0);
    counter.inc({ method: 'GET', status: 404 }, 0);
    for (const value of values) {
      counter.inc(labels);
      histogram.observe(labels, value);
    }
    counter.inc(labels);
    histogram.observe(labels, 3);
  });

  expect(bySeries).toBe(byLabels);
  expect(bySeries).toContain('seconds_bucket{le="0.1",method="GET",status="200"} 4');
});
