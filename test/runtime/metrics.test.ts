import { afterAll, expect, test } from 'bun:test';
import { Counter, Histogram, Registry } from 'prom-client';
import { renderMetrics, seriesCounter, seriesHistogram, seriesTexts } from '#runtime/tracing/metrics.ts';

// Other tests in this process expect the metrics of the hub only.
const declared = seriesTexts.length;
afterAll(() => {
  seriesTexts.length = declared;
});

test('series are shown as prom-client shows the same events', async () => {
  const labels = { method: 'GET', status: 200 };
  const other = { method: 'GET', status: 404 };
  const bounds = [0.01, 0.1, 1, 10];
  const values = [0, 0.01, 0.011, 0.1, 0.5, 1, 9.99, 10, 10.01, 1_000];
  const help = 'For a test.';

  const counts = seriesCounter<keyof typeof labels>('test_events', help);
  const seconds = seriesHistogram<keyof typeof labels>('test_seconds', help, bounds);
  const [count, observe] = [counts(labels), seconds(labels)];
  counts(other);
  for (const value of values) {
    count();
    observe(value);
  }
  // A second handle of the same labels continues the series.
  counts(labels)();
  seconds(labels)(3);

  const registers = [new Registry()];
  const labelNames = ['method', 'status'];
  const counter = new Counter({ name: 'test_events', help, labelNames, registers });
  const histogram = new Histogram({ name: 'test_seconds', help, labelNames, buckets: bounds, registers });
  counter.inc(labels, 0);
  counter.inc(other, 0);
  for (const value of values) {
    counter.inc(labels);
    histogram.observe(labels, value);
  }
  counter.inc(labels);
  histogram.observe(labels, 3);

  const linesOf = (text: string) => text.split('\n').filter((line) => /\btest_(events|seconds)/.test(line));
  const shown = linesOf(await renderMetrics());
  expect(shown).toEqual(linesOf(await registers[0]!.metrics()));
  expect(shown).toContain('test_seconds_bucket{le="0.1",method="GET",status="200"} 4');
});
