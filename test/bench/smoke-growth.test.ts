import { expect, test } from 'bun:test';
import { hotPaths } from '../../bench/growth/hot-paths.ts';
import { runBench, timeoutMs } from './run-bench.ts';

/** On SQLite, `pages` in `smoke.test.ts` creates the same rows. */
test(
  'on postgres, every hot path gets a ratio, below the machine and the versions',
  async () => {
    const printed = await runBench('--store', 'postgres', '--only', 'growth');
    expect(printed).toContain('postgres: 400 agents created in');
    expect(printed).toMatch(/\d+ × .+ GB, .+, Bun \d.+, Redis \d/);
    expect(printed).toMatch(/Postgres \d[\d.]+, fsync/);
    const lines = printed.split('\n').map((line) => line.trim());
    const figures = /^[\d,.]+ \/ [\d,.]+ +[\d,.]+ \/ [\d,.]+ +\d+\.\d\d/;
    const missing = hotPaths.filter(
      ({ name }) =>
        !lines.some((line) => line.startsWith(`${name} `) && figures.test(line.slice(name.length).trim())),
    );
    expect(missing).toEqual([]);
  },
  timeoutMs,
);
