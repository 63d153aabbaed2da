/** Bars are decided on exact counts, and rates are printed as 100 or 0 only if all or none passed. */
import { describe, expect, test } from 'bun:test';
import { type Change, measureBars, outcomeOf } from '#evals/report/bars.ts';
import { exactMean, percentText, pointsText } from '#evals/rates.ts';
import { createRandom } from '#evals/random.ts';
import { summarize } from '#evals/report/summary.ts';
import { writeMarkdown, writeText } from '#evals/report/text.ts';
import type { ExportedTrial } from '#evals/export/run-export.ts';
import { changeOf, failed, item, runOf, trial, whole } from '#test/evals/export/exported-runs.ts';

const rateOf = (passed: number, of: number) => {
  const exact = exactMean([{ weight: 1, passed, of }]);
  if (exact === null) throw new Error('no trials');
  return exact;
};

const measured = (passed: number, of: number) => ({
  passRate: rateOf(passed, of),
  change: null,
  baseline: null,
});

test('one failure of 2,000 cases holds neither --min-pass 1 nor --min-score 100, and the text shows why', () => {
  expect(measureBars({ minPass: 1, minScore: 100 }, measured(1_999, 2_000))).toEqual([
    {
      bar: 'min_pass',
      required: '1',
      held: false,
      explanation: 'the pass rate is 0.999, at least 1 is required',
    },
    {
      bar: 'min_score',
      required: '100',
      held: false,
      explanation: 'the score is 99.9, at least 100 is required',
    },
  ]);
  expect(measureBars({ minPass: 1, minScore: 100 }, measured(2_000, 2_000)).map(({ held }) => held)).toEqual([
    true,
    true,
  ]);
});

test('1 of 3 holds --min-pass 0.3333, and not 0.33334', () => {
  const held = (minPass: number) => measureBars({ minPass }, measured(1, 3)).map((bar) => bar.held);
  expect([held(0.3333), held(0.33334)]).toEqual([[true], [false]]);
  expect(measureBars({ minPass: 0.33334 }, measured(1, 3))[0]?.explanation).toBe(
    'the pass rate is 0.333, at least 0.33334 is required',
  );
  expect(measureBars({ minScore: 70 }, measured(6_996, 10_000))[0]?.explanation).toBe(
    'the score is 69.96, at least 70 is required',
  );
});

test('100 and 0 are never rounded to', () => {
  const random = createRandom('bars', 'rounding');
  for (let round = 0; round < 10_000; round += 1) {
    const of = random.int(1, 4_000);
    const passed = random.int(0, 3) === 0 ? of - random.int(0, Math.min(2, of)) : random.int(0, of);
    for (const text of [
      pointsText((100 * passed) / of),
      percentText(passed / of, 0),
      percentText(passed / of, 3),
    ]) {
      expect(/^100(?:\.0+)?%?$/.test(text)).toBe(passed === of);
      expect(/^0(?:\.0+)?%?$/.test(text)).toBe(passed === 0);
    }
  }
});

describe('a comparison', () => {
  const change = (reach: Partial<Change['reach']>) => changeOf({}, reach);
  const barsOf = (compared: Change, minCompared?: number) =>
    measureBars(
      { failOn: 'broken', minCompared },
      { ...measured(1, 2), change: compared, baseline: 'latest' },
    );

  test('that reaches fewer than half of the cases falls short, and says so', () => {
    const gone = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    const few = change({ compared: 3, cases: 47, changed: ['f', 'g'], added: 35, gone });
    expect(barsOf(few)).toMatchObject([
      { bar: 'fail_on', held: true, explanation: 'no compared case broke' },
      {
        bar: 'min_compared',
        required: '0.5',
        held: false,
        explanation:
          'compared 3 of 47 cases; 37 are new or changed (changed: f, g); 7 of the earlier run are gone: a, b, c, d, e and 2 more; at least 50% must be comparable. If the suite was meant to change, add --min-compared 0 once',
      },
    ]);
    expect(barsOf(few, 0.05)[1]).toMatchObject({ held: true, required: '0.05' });
    expect(barsOf(change({ compared: 20, added: 20 }))[1]).toMatchObject({ held: true });
    const sampled = barsOf(change({ sample: 'same kinds' }))[1];
    expect(sampled?.explanation).toContain('; they are two samples: the cases have other words in each run');
    expect(barsOf(change({ compared: 0, cases: 4, changed: ['a', 'b', 'c', 'd'] }))[1]).toMatchObject({
      held: false,
    });
  });
});

test('with fewer than ten compared cases, of which half may break by chance, `worse` falls short if one breaks', () => {
  const worse = (compared: number, broken: readonly string[]) =>
    measureBars(
      { failOn: 'worse' },
      { ...measured(0, 2), change: changeOf({ broken }, { compared, cases: compared }), baseline: 'latest' },
    )[0];
  expect(worse(9, ['a'])).toMatchObject({
    held: false,
    explanation:
      '1 case broke: a; with fewer than 10 compared cases, chance may hide that the run is worse, so use --fail-on broken',
  });
  expect([worse(9, [])?.held, worse(10, ['a'])?.held]).toEqual([true, true]);
});

test('cases that broke are named with their titles', () => {
  const change = changeOf({ verdict: 'worse', broken: ['a', 'b'] }, { compared: 2, cases: 2 });
  const titles = new Map([['a', 'A late parcel']]);
  const [bar] = measureBars({ failOn: 'broken' }, { ...measured(0, 2), change, titles });
  expect(bar?.explanation).toBe('2 cases broke: a (A late parcel), b');
});

test('a run in which no trial got a reply holds no bar, and one that ended early holds none by default', () => {
  const held = { bar: 'min_pass', required: '0', held: true, explanation: '' } as const;
  const of = { trials: 3, emptyReplies: 0 };
  expect(outcomeOf([], { ...of, errors: 3 }, 0)).toBe('not_possible');
  expect(outcomeOf([], { ...of, errors: 2 }, 0)).toBe('held');
  expect(outcomeOf([], { ...of, errors: 2 }, 1)).toBe('not_possible');
  expect(outcomeOf([held], { ...of, errors: 2 }, 1)).toBe('held');
  expect(outcomeOf([held], { ...of, errors: 2, emptyReplies: 1 }, 0)).toBe('not_possible');
});

test('a run in which every reply was empty says so, and a call or an earlier text is a reply', async () => {
  const empty = trial({ reply: ' \n' });
  const lost = trial({ ...failed, status: 'error', reply: null, explanation: 'It broke.' });
  const emptyIn = async (...trials: readonly ExportedTrial[]) =>
    (await summarize(runOf([item('one', trials)]))).emptyReplies;
  const call = { name: 'route', arguments: {} };
  expect(
    await emptyIn(empty, trial({ reply: '', calls: [call] }), trial({ reply: '', earlier: ['x'] })),
  ).toBe(1);
  // Null is hidden, or was not kept.
  expect(await emptyIn(trial({ reply: null }), lost)).toBe(0);
  const exported = runOf([item('one', [empty, lost])]);
  const report = { run: exported, summary: await summarize(exported), change: null, bars: [] };
  const [text, markdown] = await Promise.all(
    [writeText, writeMarkdown].map((write) => whole(write({ ...report, outcome: 'not_possible' }))),
  );
  expect(markdown).toContain('## `@ada/desk version 3`: every reply was empty, ');
  expect(text).toContain(
    'NOT POSSIBLE: every reply was empty, without a text and without a tool call, so the run says nothing about the agent.',
  );
});

const failedIn = (id: string, part: string, title?: string) => ({
  ...item(id, [trial({ ...failed, expected: 'A', found: 'B' })]),
  tags: [part, 'hard'],
  ...(title === undefined ? {} : { title }),
});

test('Markdown lists what failed by the first tag of the cases, the one with the most cases first', async () => {
  const items = [failedIn('one', 'dates'), failedIn('two', 'sums', 'Zwei `è`'), failedIn('three', 'sums')];
  const exported = { ...runOf(items), unseen: ['Judged with "<img src=x>\u001B[2J".'] };
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
  expect(text).toContain('<https://hub.example/me/runs/r-1>');
  // Who runs a suite names the model.
  expect(text).toContain(String.raw`Judged with "\<img src=x\>\[U\+001B\]\[2J".`);
  const plain = (await Array.fromAsync(writeText({ ...report, outcome: 'held' }))).join('');
  expect(plain).toContain('Judged with "<img src=x>[U+001B][2J".');
});

test('the number beside a tag is that of all its cases, also of those that are not listed', async () => {
  const items = Array.from({ length: 100 }, (_, at) =>
    failedIn(`c-${at}`, at === 99 ? 'last' : at % 5 === 0 ? 'few' : 'many'),
  );
  const exported = runOf(items);
  const report = { run: exported, summary: await summarize(exported), change: null, bars: [] };
  const text = (await Array.fromAsync(writeMarkdown({ ...report, outcome: 'held' }))).join('');
  const lines = text.slice(text.indexOf('### Failing (100)')).split('\n');
  expect(lines.filter((line) => line !== '' && !line.startsWith('  - `'))).toEqual([
    '### Failing (100)',
    '- `many` (79)',
    '  - and 39 more',
    '- `few` (20)',
    '  - and 10 more',
    '- and 1 more',
  ]);
});

test('what failed before is listed briefly below what broke', async () => {
  const items = Array.from({ length: 60 }, (_, at) => failedIn(`c-${at}`, 'sums'));
  const exported = runOf(items);
  const change = changeOf({ verdict: 'worse', broken: ['c-7'] }, { compared: 60, cases: 60 });
  const report = { run: exported, summary: await summarize(exported), bars: [], outcome: 'held' } as const;
  const linesWith = async (given: Change | null) =>
    (await Array.fromAsync(writeText({ ...report, change: given }))).join('').split('\n');
  expect(await linesWith(change)).toContain('  and 49 more');
  expect(await linesWith(null)).toContain('  and 10 more');
});
