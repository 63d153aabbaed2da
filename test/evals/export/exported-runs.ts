/** Runs for the tests of export formats, with ordinary texts and with hostile ones. */
import type { Change } from '#evals/report/bars.ts';
import type { ExportedItem, ExportedRun, ExportedTrial } from '#evals/export/run-export.ts';

export const hostile = [
  '=cmd|calc!A1',
  '+1',
  '-1',
  '@SUM(A1)',
  '\tx',
  '\rx',
  'a "quoted", cell\r\nwith lines',
  ']]>&<failure/>&#0;"\'',
  'nul \0 bell \u0007 escape \u001b[31m',
  'half \ud800 pair \udc00',
  '\ufffe\uffff',
  '\u202egnirts\u2028\u2029',
  '\u{1f600}',
  '`x` **b** [l](javascript:1) <img onerror=1>',
  '',
];

export const trial = (change: Partial<ExportedTrial> = {}): ExportedTrial => ({
  index: 0,
  trial: 1,
  status: 'passed',
  share: 1,
  expected: 'hello',
  found: 'hello',
  explanation: null,
  reply: 'hello',
  earlier: [],
  calls: [],
  error: null,
  latencyMs: 1_500,
  usage: { input_tokens: 3, output_tokens: 4 },
  shortened: false,
  judgedBy: null,
  review: null,
  ...change,
});
export const item = (id: string, trials: readonly ExportedTrial[]): ExportedItem => ({
  id,
  tags: ['a', 'b'],
  prompt: 'Say hello.',
  asked: { prompt: 'Say hello.' },
  trials,
});
export const runOf = (items: readonly ExportedItem[]): ExportedRun => ({
  id: 'r-1',
  product: 'suite-run',
  suite: { name: '@ada/desk', version: '3' },
  agent: 'ada',
  regradedFrom: null,
  model: null,
  hub: 'https://hub.example',
  address: 'https://hub.example/me/runs/r-1',
  label: 'main',
  cancelled: false,
  score: 61.5,
  interval: { low: 40, high: 80 },
  passRate: { value: 0.615, low: 0.4, high: 0.8, exact: { numerator: 123n, denominator: 200n } },
  tags: [],
  metrics: {},
  findings: null,
  unanswered: 0,
  unseen: [],
  judgedCases: [],
  overruledCases: [],
  partialCases: [],
  leftOutCases: 0,
  trials: 2,
  usage: { input_tokens: 30, output_tokens: 40 },
  createdAt: new Date('2026-01-02T03:04:05.678Z'),
  startedAt: null,
  finishedAt: new Date('2026-01-02T03:05:05.678Z'),
  async *items() {
    yield* items;
  },
  ends: () => Promise.resolve(new Map([[0, new Date('2026-01-02T03:05:00.500Z')]])),
});
export const changeOf = (change: Partial<Change>, reach: Partial<Change['reach']>): Change => ({
  baseline: 'r-0',
  sources: { judged: 0, overruled: 0 },
  chosen: { label: null, others: 0 },
  verdict: 'no clear change',
  p: 1,
  broken: [],
  fixed: [],
  flakyNow: [],
  metrics: {},
  ...change,
  reach: {
    sample: 'same cases',
    compared: 40,
    cases: 40,
    changed: [],
    added: 0,
    unasked: 0,
    ungraded: 0,
    gone: [],
    ...reach,
  },
});
export const failed = { status: 'failed', share: 0, explanation: 'equals failed.' } as const;
const hidden = { expected: null, found: null, explanation: null } as const;
export const mixed = runOf([
  item('good', [trial()]),
  item('flaky', [trial(failed), trial({ trial: 2 })]),
  item('bad', [
    trial(failed),
    trial({ ...failed, trial: 2 }),
    trial({ status: 'error', share: 0, error: 'timeout', trial: 3, reply: null }),
  ]),
  item('secret', [trial({ ...failed, ...hidden })]),
  item('unjudged', [trial({ status: 'ungraded', share: 0, latencyMs: null, usage: null })]),
]);
export const attacked = runOf(
  hostile.map((text, n) =>
    item(`i-${n}`, [trial({ ...failed, expected: text, found: text, explanation: text, reply: text })]),
  ),
);
export const whole = async (texts: AsyncIterable<string>) => (await Array.fromAsync(texts)).join('');
