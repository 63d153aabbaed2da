import { expect, test } from 'bun:test';
import { hotPaths } from '../../bench/growth/hot-paths.ts';
import { measures } from '../../bench/measures/measures.ts';
import { root, runBench, timeoutMs } from './run-bench.ts';

const measured = Object.keys(measures);

test(
  'on sqlite, every measure prints its figures',
  async () => {
    const table = await runBench('--store', 'sqlite', ...measured.flatMap((measure) => ['--only', measure]));
    expect(table).toMatch(/SQLite \d[\d.]+, WAL/);
    for (const measure of [
      /accepted redemptions\/s +[\d,]+ .* bare inserts +\d+\.\d\d/,
      /eval runs\/s.* no-op jobs +\d+\.\d{4}/,
      /GET \/v1\/tokens\/balance\/s +[\d,]+ .* one prepared select +\d+\.\d\d/,
      /beside a route that returns a constant +[\d,]+ .* bare route +\d+\.\d\d/,
      /seats\/s of one event, 64 connections +[\d,]+ .* row lock each +\d+\.\d\d/,
      /one reservation at a time, \/s +[\d,]+/,
      /eval runs\/s of two processes.* +[\d,.]+ .* of one +\d+\.\d\d/,
      /\/forum, deep +[\d.]+ \/ [\d.]+ +[\d.]+ \/ [\d.]+ +\d+\.\d\d/,
      /the slowest p50, ms +\d+\.\d/,
      /GET \/v1\/agents\/me beside 20 pages\/s.* +[\d.]+ \/ [\d.]+ .* without +\d+\.\d\d/,
      /hub at rest, \d+ processes: PSS, MB +\d+/,
    ]) {
      expect(table).toMatch(measure);
    }
    for (const { name } of hotPaths) expect(table).toContain(name);
  },
  timeoutMs,
);

test(
  'on postgres, measures of the API and of the workers print their figures',
  async () => {
    const table = await runBench('--store', 'postgres', '--only', 'redemptions', '--only', 'seats');
    expect(table).toMatch(/accepted redemptions\/s +[\d,]+/);
    expect(table).toMatch(/seats\/s of 1,000 events +[\d,]+/);
  },
  timeoutMs,
);

test('an unknown measure is refused, and the help is printed', () => {
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, 'bench/main.ts', '--only', 'nothing'], {
    cwd: root,
  });
  expect(exitCode).toBe(78);
  expect(stderr.toString()).toContain('--only must be one of: redemptions');
});
