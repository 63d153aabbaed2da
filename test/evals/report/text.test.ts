import { expect, test } from 'bun:test';
import type { ExportedItem, ExportedRun } from '#evals/export/run-export.ts';
import { summarize } from '#evals/report/summary.ts';
import { writeMarkdown, writeText } from '#evals/report/text.ts';

function failed(id: string, part: string): ExportedItem {
  const trial = { trial: 1, status: 'failed', share: 0, expected: 'A', found: 'B', error: null } as const;
  const rest = { explanation: null, reply: 'B', latencyMs: null, usage: null, judgedBy: null, review: null };
  return {
    id,
    ...(id === 'two' ? { title: 'Zwei `è`' } : {}),
    tags: [part, 'hard'],
    prompt: null,
    trials: [{ ...trial, ...rest }],
  };
}

test('Markdown lists what failed by the first tag of the cases, the one with the most cases first', async () => {
  const items = [failed('one', 'dates'), failed('two', 'sums'), failed('three', 'sums')];
  const at = new Date(0);
  const run = {
    id: 'r-1',
    address: 'http://hub.example/me/runs/r-1',
    agent: 'ada',
    product: 'eval-run',
    suite: { name: 'health', version: '1' },
    findings: null,
    unseen: ['Judged with "<img src=x>\u001B[2J".'],
    judgedCases: [],
    overruledCases: [],
    partialCases: [],
    passRate: { value: 0, low: 0, high: 0, exact: { numerator: 0n, denominator: 1n } },
    interval: { low: 0, high: 0 },
    score: 0,
    tags: [],
    metrics: {},
    createdAt: at,
    startedAt: at,
    finishedAt: at,
    async *items() {
      yield* items;
    },
  };
  // The report reads these fields only.
  const exported = run as unknown as ExportedRun;
  const report = { run: exported, summary: await summarize(exported), change: null, bars: [] };
  const text = (await Array.fromAsync(writeMarkdown({ ...report, outcome: 'held' }))).join('');
  expect(text).toContain(
    [
      '### Failing (3)',
      '',
      '- `sums` (2)',
      '  - `` two (Zwei `è`) ``: expected `A`, found `B`',
      '  - `three`: expected `A`, found `B`',
      '- `dates` (1)',
      '  - `one`: expected `A`, found `B`',
    ].join('\n'),
  );
  expect(text).toContain('<http://hub.example/me/runs/r-1>');
  // Who runs a suite names the model.
  expect(text).toContain(String.raw`Judged with "\<img src=x\>\[U\+001B\]\[2J".`);
  const plain = (await Array.fromAsync(writeText({ ...report, outcome: 'held' }))).join('');
  expect(plain).toContain('Judged with "<img src=x>[U+001B][2J".');
});
