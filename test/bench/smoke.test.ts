/** Runs `npm run bench` at its smallest size, which shows that a measure works but not how fast the hub is. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { hotPaths } from '../../bench/growth/hot-paths.ts';
import { measures } from '../../bench/measures/measures.ts';
import { hubBinary } from '#test/harness/hub-binary.ts';

const root = join(import.meta.dirname, '..', '..');
const timeoutMs = 240_000;

async function runBench(...options: readonly string[]): Promise<string> {
  const bench = Bun.spawn(
    [process.execPath, 'bench/main.ts', '--size', 'smoke', '--hub', hubBinary, ...options],
    {
      cwd: root,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    },
  );
  const [printed, errors, exitCode] = await Promise.all([
    new Response(bench.stdout).text(),
    new Response(bench.stderr).text(),
    bench.exited,
  ]);
  expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
  return printed;
}

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

test('an unknown measure is refused, and the help is printed', () => {
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, 'bench/main.ts', '--only', 'nothing'], {
    cwd: root,
  });
  expect(exitCode).toBe(78);
  expect(stderr.toString()).toContain('--only must be one of: redemptions');
});
