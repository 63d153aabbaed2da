/** Runs `npm run bench` at its smallest size, which shows that a measure works but not how fast the hub is. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { parseBenchArguments } from '../../bench/arguments.ts';
import { hotPaths } from '../../bench/growth/hot-paths.ts';
import type { MeasureName } from '../../bench/measures/measures.ts';
import { hubBinary } from '#test/harness/hub-binary.ts';
import { runProgram } from '#test/harness/run-program.ts';

const root = join(import.meta.dirname, '..', '..');
const timeoutMs = 240_000;

async function runBench(...options: readonly string[]): Promise<string> {
  const { exitCode, printed, complaints } = await runProgram(
    [process.execPath, 'bench/main.ts', '--size', 'smoke', '--hub', hubBinary, ...options],
    { cwd: root },
  );
  expect({ exitCode, complaints }).toEqual({ exitCode: 0, complaints: '' });
  return printed;
}

/** A measure of the API and those of growth. The others share their load, stores and table. */
const measured = ['redemptions', 'growth', 'pages'] satisfies readonly MeasureName[];

test(
  'on sqlite, measures print their figures',
  async () => {
    const table = await runBench('--store', 'sqlite', ...measured.flatMap((measure) => ['--only', measure]));
    expect(table).toMatch(/SQLite \d[\d.]+, WAL/);
    for (const measure of [
      /accepted redemptions\/s +[\d,]+ .* bare inserts +\d+\.\d\d/,
      /\/desk, maintainer( +[\d.]+ \/ [\d.]+ \/ [\d.]+){2} +\S+/,
      /\/forum, deep( +[\d.]+ \/ [\d.]+ \/ [\d.]+){2} +\S+/,
      /the slowest p50, ms: \S+ .* +\d+\.\d/,
      /GET \/v1\/agents\/me beside 20 pages\/s.* +[\d.]+ \/ [\d.]+ .* without +\d+\.\d\d/,
    ]) {
      expect(table).toMatch(measure);
    }
    for (const { name } of hotPaths) expect(table).toContain(name);
  },
  timeoutMs,
);

test('an unknown measure is refused', () => {
  expect(() => parseBenchArguments(['--only', 'nothing'])).toThrow('--only must be one of: redemptions');
});
