/** Bars are decided on exact counts, and rates are printed as 100 or 0 only if all or none passed. */
import { expect, test } from 'bun:test';
import { type Change, measureBars, outcomeOf } from '#evals/report/bars.ts';
import { exactMean, percentText, pointsText } from '#evals/rates.ts';
import { createRandom } from '#evals/random.ts';
import { summarize } from '#evals/report/summary.ts';
import { writeMarkdown, writeText } from '#evals/report/text.ts';
import type { ExportedRun, ExportedTrial } from '#evals/export/run-export.ts';
import { changeOf, failed, item, runOf, trial, whole } from '#test/evals/export/exported-runs.ts';

const measured = (passed: number, of: number) => ({
  passRate: exactMean([{ weight: 1, passed, of }])!,
  change: null,
  baseline: null,
});

/** The report of a run as a text. */
async function written(
  write: typeof writeText,
  run: ExportedRun,
  more: Partial<Parameters<typeof writeText>[0]> = {},
): Promise<string> {
  return whole(
    write({ run, summary: await summarize(run), change: null, bars: [], outcome: 'held', ...more }),
  );
}

test('a bar that is missed by little says by how much', () => {
  const explained = (bars: Parameters<typeof measureBars>[0], passed: number, of: number) =>
    measureBars(bars, measured(passed, of)).map(({ explanation }) => explanation);
  expect(measureBars({ minPass: 1 }, measured(1_999, 2_000))).toEqual([
    {
      bar: 'min_pass',
      required: '1',
      held: false,
      explanation: 'the pass rate is 0.999, at least 1 is required',
    },
  ]);
  expect(explained({ minScore: 100 }, 1_999, 2_000)).toEqual(['the score is 99.9, at least 100 is required']);
  expect(explained({ minPass: 0.33334 }, 1, 3)).toEqual([
    'the pass rate is 0.333, at least 0.33334 is required',
  ]);
  expect(explained({ minScore: 70 }, 6_996, 10_000)).toEqual(['the score is 69.96, at least 70 is required']);
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

test('a comparison that reaches fewer than half of the cases falls short, and says so', () => {
  const barOf = (reach: Partial<Change['reach']>, minCompared?: number) =>
    measureBars(
      { failOn: 'broken', minCompared },
      { ...measured(1, 2), change: changeOf({}, reach), baseline: 'latest' },
    )[1];
  const gone = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const few = { compared: 3, cases: 47, changed: ['f', 'g'], added: 35, gone };
  expect(barOf(few)).toMatchObject({
    bar: 'min_compared',
    required: '0.5',
    held: false,
    explanation:
      'compared 3 of 47 cases; 37 are new or changed (changed: f, g); 7 of the earlier run are gone: a, b, c, d, e and 2 more; at least 50% must be comparable. If the suite was meant to change, add --min-compared 0 once',
  });
  expect(barOf(few, 0.05)).toMatchObject({ held: true, required: '0.05' });
  expect(barOf({ compared: 20, added: 20 })?.held).toBe(true);
  const said = 'they are two samples: the cases have other words in each run';
  expect(barOf({ sample: 'same kinds' })?.explanation).toContain(`; ${said}`);
  expect(barOf({ compared: 0, cases: 4, changed: ['a', 'b', 'c', 'd'] })?.held).toBe(false);
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
  const [none] = measureBars({ failOn: 'broken' }, { ...measured(0, 2), change: changeOf({}, {}) });
  expect(none).toMatchObject({ held: true, explanation: 'no compared case broke' });
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
  const run = runOf([item('one', [empty, lost])]);
  const notPossible = { outcome: 'not_possible' } as const;
  expect(await written(writeMarkdown, run, notPossible)).toContain(
    '## `@ada/desk version 3`: every reply was empty, ',
  );
  expect(await written(writeText, run, notPossible)).toContain(
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
  const run = { ...runOf(items), unseen: ['Judged with "<img src=x>\u001B[2J".'] };
  const text = await written(writeMarkdown, run);
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
  expect(await written(writeText, run)).toContain('Judged with "<img src=x>[U+001B][2J".');
});

test('the number beside a tag is that of all its cases, also of those that are not listed', async () => {
  const items = Array.from({ length: 100 }, (_, at) =>
    failedIn(`c-${at}`, at === 99 ? 'last' : at % 5 === 0 ? 'few' : 'many'),
  );
  const text = await written(writeMarkdown, runOf(items));
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
  const change = changeOf({ verdict: 'worse', broken: ['c-7'] }, { compared: 60, cases: 60 });
  expect(await written(writeText, runOf(items), { change })).toContain('\n  and 49 more\n');
  expect(await written(writeText, runOf(items))).toContain('\n  and 10 more\n');
});
