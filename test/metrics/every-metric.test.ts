/**
 * Every metric has a test that triggers it: compares the metrics that the hub declares with those that the
 * tests in this folder read.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { watchProcess } from '#runtime/tracing/process-metrics.ts';
import { testOperatorKey } from '#test/harness/secret-key.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { openScratchStore, type ScratchStore } from '#test/harness/stores.ts';
import { poolNames, pools } from '#workers/pool-registry.ts';

let store: ScratchStore;
let hub: TestHub;
beforeAll(async () => {
  // A process declares its metrics when it loads the modules that count them.
  for (const name of poolNames) await pools[name].load();
  watchProcess('0.0.0-test', 'test').stop();
  store = await openScratchStore('sqlite');
  hub = await startTestHub({ store });
});
afterAll(async () => {
  await hub.close();
  await store.remove();
});

/** Names of metrics that tests wait for or assert, without the suffixes of histograms. */
function namesRead(): Set<string> {
  const sources = readdirSync(import.meta.dirname)
    .filter((file) => file !== 'every-metric.test.ts')
    .map((file) => readFileSync(join(import.meta.dirname, file), 'utf8'));
  const calls = sources.flatMap((source) => [
    ...source.matchAll(/\.(?:read\(\s*|until\(\s*\(value\) => [^,]*,\s*)'(\w+)'/g),
  ]);
  return new Set(calls.map(([, name = '']) => name.replace(/_(?:bucket|count|sum)$/, '')));
}

test('every metric that a process of the hub declares is read by a test that triggers it', async () => {
  const { text } = await hub.fetch('/metrics', { token: testOperatorKey });
  const declared = [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name = '']) => name);
  // The number of metrics, so that the test fails if it finds none.
  expect(declared.length).toBeGreaterThan(20);
  const read = namesRead();
  expect(declared.filter((name) => !read.has(name))).toEqual([]);
  expect([...read].filter((name) => !declared.includes(name))).toEqual([]);
});
