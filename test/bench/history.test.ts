import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  appendRun,
  compareWith,
  HistoryError,
  historyFile,
  readHistory,
  type Run,
} from '../../bench/history.ts';
import { parseBenchArguments } from '../../bench/arguments.ts';
import { readMachine } from '../../bench/machine.ts';
import { root } from './run-bench.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agent-hub-history-'));
  file = join(folder, 'history.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true }));

const machine = { cpu: 'A processor', cores: 2, memoryGb: 8, platform: 'linux x64' };

function runOf(rows: Run['stores'][number]['rows'], over: Partial<Run> = {}): Run {
  return {
    at: '2026-11-21T00:00:00.000Z',
    commit: 'abcdef0',
    size: 'small',
    machine,
    bun: '1.4.5',
    redis: '7.0.15',
    stores: [{ store: 'sqlite', version: 'SQLite 3', rows }],
    ...over,
  };
}

test('runs are read in order, and a missing file has none', () => {
  expect(readHistory(file)).toEqual([]);
  const runs = [runOf([{ measure: 'one', hub: '1', ratio: '0.5' }]), runOf([{ measure: 'two' }])];
  for (const run of runs) appendRun(file, run);
  expect(readHistory(file)).toEqual(runs);
});

test('a run replaces the earlier figures of its measures on the same machine, at the same size', () => {
  const other = runOf([{ measure: 'one', hub: '9' }], { size: 'full' });
  appendRun(
    file,
    runOf([
      { measure: 'one', hub: '1' },
      { measure: 'two', hub: '2' },
    ]),
  );
  appendRun(file, other);
  const again = runOf([{ measure: 'one', hub: '3' }]);
  appendRun(file, again);
  expect(readHistory(file)).toEqual([runOf([{ measure: 'two', hub: '2' }]), other, again]);
  appendRun(
    file,
    runOf([
      { measure: 'one', hub: '4' },
      { measure: 'two', hub: '5' },
    ]),
  );
  expect(readHistory(file)).toHaveLength(2);
});

test.each([
  ['not json', /history\.jsonl:2 is not JSON\./],
  ['[]', /history\.jsonl:2 is not a run of the benchmark: The line must be object\./],
  [
    JSON.stringify({ ...runOf([]), size: 7 }),
    /history\.jsonl:2 is not a run of the benchmark: `\/size` must be string\./,
  ],
  [
    JSON.stringify({ ...runOf([]), machine: { ...machine, cores: 1.5 } }),
    /history\.jsonl:2 is not a run of the benchmark: `\/machine\/cores` must be integer\./,
  ],
  [JSON.stringify(runOf([])).slice(0, 40), /history\.jsonl:2 is not JSON\./],
])('an invalid line is named, with the reason and a hint: %p', (line, message) => {
  appendRun(file, runOf([]));
  writeFileSync(file, `${readFileSync(file, 'utf8')}${line}\n`);
  expect(() => readHistory(file)).toThrow(HistoryError);
  expect(() => readHistory(file)).toThrow(message);
  expect(() => readHistory(file)).toThrow('Fix or remove the line');
});

test('the command prints it before it measures anything', () => {
  writeFileSync(file, '{}\n');
  const { exitCode, stdout, stderr } = Bun.spawnSync(
    [process.execPath, 'bench/main.ts', '--size', 'smoke', '--history', file],
    { cwd: root },
  );
  expect(exitCode).toBe(78);
  expect(stdout.toString()).toBe('');
  expect(stderr.toString()).toStartWith(`${file}:1 is not a run of the benchmark: `);
  expect(readFileSync(file, 'utf8')).toBe('{}\n');
});

test('a figure is compared with the last run of the same size, machine and store that has it, by ratio if possible', () => {
  const runs = [
    runOf([{ measure: 'kept', hub: '900 (1–2)', ratio: '0.40' }]),
    runOf([
      { measure: 'kept', hub: '1,000 (900–1,100)', ratio: '0.50' },
      { measure: 'memory', hub: '200 (190–210)' },
      { measure: 'head' },
    ]),
    runOf([{ measure: 'kept', hub: '1', ratio: '9.99' }], { size: 'full' }),
    runOf([{ measure: 'kept', hub: '1', ratio: '9.99' }], { machine: { ...machine, cores: 64 } }),
    runOf([{ measure: 'another', hub: '1' }]),
  ];
  const compare = compareWith(runs, { machine, size: 'small' });
  expect(compare('sqlite', { measure: 'kept', hub: '10', ratio: '0.55' })).toBe('0.50 (+10%)');
  expect(compare('sqlite', { measure: 'memory', hub: '150 (1–2)' })).toBe('200 (-25%)');
  expect(compare('sqlite', { measure: 'head' })).toBeUndefined();
  expect(compare('sqlite', { measure: 'new', hub: '1' })).toBeUndefined();
  expect(compare('postgres', { measure: 'kept', hub: '10', ratio: '0.55' })).toBeUndefined();
});

test('runs are added to the file of the project by default, except those of size smoke', () => {
  const historyOf = (...words: string[]) => parseBenchArguments(words)?.history;
  expect(historyOf()).toBe(historyFile);
  expect(historyOf('--size', 'full')).toBe(historyFile);
  expect(historyOf('--size', 'smoke')).toBeNull();
  expect(historyOf('--history', 'off')).toBeNull();
  expect(historyOf('--size', 'smoke', '--history', file)).toBe(file);
  expect(() => historyOf('--history', '')).toThrow('--history must be a file name or off.');
});

test('the history of the project can be read, and this machine is identified', () => {
  expect(() => readHistory(historyFile)).not.toThrow();
  const { cpu, cores, memoryGb } = readMachine();
  expect(cpu).not.toBe('');
  expect(cores).toBeGreaterThan(0);
  expect(memoryGb).toBeGreaterThan(0);
});
