import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hotPaths } from '../../bench/growth/hot-paths.ts';
import { readHistory } from '../../bench/history.ts';
import { runBench, timeoutMs } from './run-bench.ts';

const folder = mkdtempSync(join(tmpdir(), 'agent-hub-growth-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** On SQLite, `pages` in `smoke.test.ts` creates the same rows. */
test(
  'on postgres, every hot path gets a ratio, which is added to the history',
  async () => {
    const file = join(folder, 'history.jsonl');
    const printed = await runBench('--store', 'postgres', '--only', 'growth', '--history', file);
    expect(printed).toContain('postgres: 400 agents created in');
    expect(printed).toMatch(/\d+ × .+ GB, .+, Bun \d.+, Redis \d/);
    expect(printed).toMatch(/Postgres \d[\d.]+, fsync/);
    const [run, ...others] = readHistory(file);
    expect(others).toEqual([]);
    expect(run?.size).toBe('smoke');
    const rows = run?.stores[0]?.rows.slice(1) ?? [];
    expect(rows.map(({ measure }) => measure.trim())).toEqual(hotPaths.map(({ name }) => name));
    for (const { hub, baseline, ratio } of rows) {
      expect(hub).toMatch(/^[\d,.]+ \/ [\d,.]+$/);
      expect(baseline).toMatch(/^[\d,.]+ \/ [\d,.]+$/);
      expect(Number(ratio)).toBeGreaterThan(0);
    }
  },
  timeoutMs,
);
