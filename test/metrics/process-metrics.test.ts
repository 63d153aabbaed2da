/** Triggers and reads the process metrics: memory, processor time, a blocked event loop. */
import { heapSize } from 'bun:jsc';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { type ProcessWatch, watchProcess } from '#runtime/tracing/process-metrics.ts';
import { useTestHub } from '#test/harness/hub.ts';
import { createMetricsReader, type MetricsReader } from '#test/harness/metrics.ts';

const hub = useTestHub();
let metrics: MetricsReader;
let watch: ProcessWatch;

beforeAll(async () => {
  watch = watchProcess('0.0.0-test', 'test');
  metrics = createMetricsReader(`${hub.url}/metrics`);
});
afterAll(() => watch.stop());

test('the labels of a metric that is always 1 name the process and its version', async () => {
  expect(await metrics.read('hub_info', { version: '0.0.0-test', process: 'test' })).toBe(1);
});

test('the start of the process is reported as Unix time', async () => {
  const startedAt = Date.now() / 1_000 - process.uptime();
  expect(Math.abs((await metrics.read('process_start_time_seconds')) - startedAt)).toBeLessThan(5);
});

test('resident memory is reported', async () => {
  // A large allocation may reuse memory that earlier tests have left, so the system is asked.
  const residentBytes = (): number =>
    Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024;
  await metrics.until(
    (value) => Math.abs(value / residentBytes() - 1) < 0.1,
    'process_resident_memory_bytes',
  );
});

test('the heap is reported apart from other memory', async () => {
  const held = Array.from({ length: 1_000_000 }, (_, index) => ({ index }));
  const other = Buffer.alloc(256 * 1024 * 1024, 1);
  // Garbage from earlier tests may be collected between the two looks, and a first look may be older than the objects.
  await metrics.until(
    (value) => value > held.length * 8 && Math.abs(value / heapSize() - 1) < 0.1,
    'process_heap_bytes',
  );
  const heapBytes = await metrics.read('process_heap_bytes');
  expect(process.memoryUsage.rss() - heapBytes).toBeGreaterThan(other.length / 2);
});

test('processor time is reported', async () => {
  const before = await metrics.read('process_cpu_seconds_total');
  const spentBefore = process.cpuUsage().user;
  while (process.cpuUsage().user - spentBefore < 300_000) Bun.hash('something to do');
  await metrics.until((value) => value >= before + 0.3, 'process_cpu_seconds_total');
});

test('the delay of a blocked event loop is reported', async () => {
  Bun.sleepSync(1_500);
  await metrics.until((value) => value > 1, 'hub_event_loop_lag_seconds');
});
