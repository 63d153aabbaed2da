/** Every measure of the benchmark still runs: a slice of `npm run bench` at its smallest size, which says nothing of speed. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
const timeoutMs = 120_000;

async function runBench(...words: readonly string[]): Promise<string> {
  const bench = Bun.spawn([process.execPath, 'bench/main.ts', '--size', 'smoke', ...words], {
    cwd: root,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [printed, faults, exitCode] = await Promise.all([
    new Response(bench.stdout).text(),
    new Response(bench.stderr).text(),
    bench.exited,
  ]);
  expect({ exitCode, faults }).toEqual({ exitCode: 0, faults: '' });
  return printed;
}

test(
  'on sqlite every measure gives a figure',
  async () => {
    const table = await runBench('--store', 'sqlite');
    for (const measure of [
      /accepted redemptions\/s +[\d,]+ .* bare inserts +\d+\.\d\d/,
      /eval jobs\/s.* no-op jobs +\d+\.\d{4}/,
      /GET \/v1\/tokens\/balance\/s +[\d,]+ .* bare route +\d+\.\d\d/,
      /seats\/s of one event, 64 connections +[\d,]+ .* row lock each +\d+\.\d\d/,
      /one reservation at a time, \/s +[\d,]+/,
      /eval jobs\/s of two processes.* +[\d,.]+ .* of one +\d+\.\d\d/,
      /audit of 2,000 ledger entries, seconds +\d+/,
      /hub at rest, \d+ processes: PSS, MB +\d+/,
    ]) {
      expect(table).toMatch(measure);
    }
  },
  timeoutMs,
);

test(
  'on postgres a measure of each kind gives a figure',
  async () => {
    const table = await runBench('--store', 'postgres', '--only', 'redemptions', '--only', 'seats');
    expect(table).toMatch(/accepted redemptions\/s +[\d,]+/);
    expect(table).toMatch(/seats\/s of 1,000 events +[\d,]+/);
  },
  timeoutMs,
);

test('a word that the benchmark does not know is refused with its help', () => {
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, 'bench/main.ts', '--only', 'nothing'], {
    cwd: root,
  });
  expect(exitCode).toBe(78);
  expect(stderr.toString()).toContain('--only must be one of: redemptions');
});
