import { expect, test } from 'bun:test';
import { root, runBench, timeoutMs } from './run-bench.ts';

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
