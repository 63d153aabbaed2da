/** An import follows the files that a configuration names, as far as whoever has them sends them. */
import { expect, test } from 'bun:test';
import type { FilesGiven } from '#evals/own-suite/beside.ts';
import { checkSuite } from '#evals/own-suite/check-suite.ts';
import { importSuite, type ImportOptions } from '#evals/own-suite/import/import-suite.ts';
import { importText, refusalOf } from './import-text.ts';

async function importWith(text: string, files: FilesGiven, more: Partial<ImportOptions> = {}) {
  const { cases, warnings, ...imported } = await importText(text, 'promptfoo', { files, ...more });
  const lost = imported.lost.map(({ file, line, construct }) => `${file ?? ''}:${line} ${construct}`);
  return { cases, lost, warnings };
}

const graded = 'assert: [{ type: contains, value: z }]';

const valueFiles = {
  'banned.yaml': '- damn\n- hell\n',
  'one.json': '["Damn"]',
  'two.yaml': 'damn\n---\nhell\n',
  'want.json': '{"a": 1}',
  'a.txt': 'damn, you\n',
  'a.md': 'damn',
};
const bareJson = (json: object) => ({ all: [{ json }, { matches: '^```', not: true }] });

test.each([
  ['not-contains-any', 'file://banned.yaml', { contains_any: ['damn', 'hell'], not: true }],
  ['not-icontains-any', 'file://one.json', { contains: 'Damn', ignore: ['case'], not: true }],
  ['not-contains-any', '["file://a.txt", b]', { contains_any: ['damn, you', 'b'], not: true }],
  ['equals', 'file://want.json', bareJson({ at: '', equals: { a: 1 } })],
  ['is-json', 'file://want.json', bareJson({ schema: { a: 1 } })],
  ['contains', 'file://a.txt', { contains: 'damn, you' }],
  ['not-contains-any', '["file://banned.yaml", b]', null],
  ['not-contains', 'file://a.md', null],
  ['not-contains', 'file://two.yaml', null],
])('the value of %s is what its files have: %s', async (type, value, grader) => {
  const asserted = `[{ type: contains, value: z }, { type: ${type}, value: ${value} }]`;
  const { cases, lost } = await importWith(`prompts: [hi]\ntests: [{ assert: ${asserted} }]\n`, valueFiles);
  expect(cases[0]?.expect.slice(1) as unknown[]).toEqual(grader === null ? [] : [grader]);
  expect(lost.includes(`:2 assert: ${type}`)).toBe(grader === null);
});

test('what was not given is named until nothing is missing, in as many steps as files name others', async () => {
  const text =
    'prompts: [file://ask.txt, "more/*.md"]\ntests: [file://./tests.yaml]\ndefaultTest: file://all.yaml\n';
  const missing = async (files: FilesGiven) => {
    const imported = await importSuite(text, 'promptfoo', { name: 'imported', files });
    return imported.ok ? [] : imported.missing;
  };
  expect(await missing({})).toEqual(['all.yaml', 'ask.txt', 'more/*.md', 'tests.yaml']);
  const first = {
    'all.yaml': graded,
    'ask.txt': 'One?\n---\nTwo?',
    'more/*.md': ['more/a.md'],
    'more/a.md': 'Three\n---\nfour?',
    'tests.yaml': '- vars: { a: file://a.txt }\n- file://rest.jsonl',
  };
  expect(await missing(first)).toEqual(['a.txt', 'rest.jsonl']);
  const all = { ...first, 'a.txt': 'x', 'rest.jsonl': '{"vars":{"a":"y"}}' };
  const { cases, lost } = await importWith(text, all);
  const asked = ['One?', 'Two?', 'Three\n---\nfour?'];
  expect(cases.map(({ prompt }) => prompt)).toEqual([...asked, ...asked]);
  expect(lost).toEqual([]);
});

test.each([
  ['prompt,label\nOne?,a\nTwo?,b\n', ['One?', 'Two?'], []],
  ['One?\nTwo?\n', ['One?', 'Two?'], []],
  ['prompt\nOne?\nHello, who?\n', ['One?'], ['p.csv:3 row']],
  ['One?\nHello, who?\n', ['One?'], ['p.csv:2 row']],
  ['', [], [':1 prompt from p.csv']],
])('the table of prompts %j loses no prompt in silence', async (table, prompts, lost) => {
  const text = `prompts: [hi, file://p.csv]\ntests: [{ ${graded} }]\n`;
  const imported = await importWith(text, { 'p.csv': table });
  expect([imported.cases.map(({ prompt }) => prompt), imported.lost]).toEqual([['hi', ...prompts], lost]);
});

test('tables of tests have variables, and columns that say what is expected', async () => {
  const table =
    'topic;__expected;__expected2;__threshold;__prefix\n' +
    'sea;contains-any:salt,water;not-icontains: Desert;0.5;"Be brief. "\n' +
    'sun;light;;;\nsky;"levenshtein(2): blue";;;\nfog;not-contains-any:file://banned.yaml;;;\n';
  const { cases, lost } = await importWith('prompts: ["Of {{topic}}"]\ntests: t.csv\n', {
    't.csv': `\ufeff${table}`,
    ...valueFiles,
  });
  expect(cases).toMatchObject([
    {
      prompt: 'Be brief. Of sea',
      pass_at: 0.5,
      expect: [{ contains_any: ['salt', 'water'] }, { contains: 'Desert', ignore: ['case'], not: true }],
    },
    { prompt: 'Of sun', expect: [{ equals: 'light' }] },
    { prompt: 'Of sky', expect: [{ similar: 'edit', to: ['blue'], at_most: 2 }] },
    { prompt: 'Of fog', expect: [{ contains_any: ['damn', 'hell'], not: true }] },
  ]);
  expect(lost).toEqual([]);
});

test.each([
  ['defaultTest: file://x.yaml', null, ':3 defaultTest from x.yaml: There is no such file'],
  ['defaultTest: { assert: [file://x.yaml] }', null, ':3 assert from x.yaml: There is'],
  ['defaultTest: { vars: { a: file://x.txt } }', null, ':3 variable a from x.txt: There is'],
  ['scenarios: file://x*.yaml', [], ':3 scenarios from x*.yaml: No file matches'],
  ['defaultTest: file://x.yaml', '\n- : [', 'x.yaml:2 '],
  ['scenarios: [{ config: [{}], tests: x.csv }]', 'a,a\n', /^x.csv:1 .*twice/],
  ['defaultTest: file://x.yaml', 'assert: [file://y.yaml]', /^x.yaml:1 .*y.yaml/],
  [
    'scenarios: [{ config: [{}], tests: x.csv }]',
    'version https://git-lfs.github.com/spec/v1\noid sha256:1\n',
    ':3 tests from x.csv: It is a pointer of Git LFS',
  ],
])('with the file missing or unreadable, nothing is imported of %j', async (line, given, fault) => {
  const name = /x[.*]+\w+/.exec(line)?.[0] ?? '';
  const imported = await importSuite(`prompts: [hi]\ntests: [{ ${graded} }]\n${line}\n`, 'promptfoo', {
    name: 'imported',
    files: { [name]: given, 'y.yaml': null },
  });
  const faults = imported.ok ? [] : imported.faults;
  const [told = ''] = faults.map(({ file = '', line: at, message }) => `${file}:${at} ${message}`);
  if (typeof fault === 'string') expect(told).toStartWith(fault);
  else expect(told).toMatch(fault);
});

test('what is lost in a file names the file and its line, and a file that no import reads is lost where it is named', async () => {
  const text = 'prompts: [hi, "file://make.py:all"]\ntests: [file://tests.yaml, "https://x.example/t.csv"]\n';
  const { lost, warnings } = await importWith(`${text}providers: [a]\noutputPath: o\n`, {
    'tests.yaml': `- ${graded}\n- assert: [{ type: contains, value: z }, { type: perplexity }]\n`,
  });
  expect(lost).toEqual([
    ':1 prompt from make.py:all',
    ':2 tests from https://x.example/t.csv',
    'tests.yaml:2 assert: perplexity',
  ]);
  expect(warnings[0]).toStartWith('providers, outputPath: ');
});

test('aliases and merge keys stand for what they name, up to the size of a document', async () => {
  const { cases } = await importWith(
    `base: &base { assert: &all [{ type: contains, value: z }] }\nprompts: ["{{a}}"]\n` +
      `tests: [{ <<: *base, vars: { a: 1 } }, { vars: { a: 2 }, assert: *all }]\n`,
    {},
  );
  expect(cases.map(({ prompt }) => prompt)).toEqual(['1', '2']);
  const levels = Array.from({ length: 40 }, (_, at) => `l${at + 1}: &l${at + 1} [*l${at}, *l${at}]`);
  for (const [text, message] of [
    [`l0: &l0 [x]\n${levels.join('\n')}\n`, /With its aliases written out/],
    ['a: &a [*a]\nprompts: [x]\n', /must not stand inside/],
    [
      `l0: &l0 { a0: 1 }\n${levels.map((_, at) => `l${at + 1}: &l${at + 1} { a: *l${at} }`).join('\n')}\nl: {a: {a: {a: {a: {a: {a: {a: {a: {a: {a: {a: {a: {a: {a: {a: {a: {a: {a: {a: {a: {a: {a: {a: {a: {a: *l40 }}}}}}}}}}}}}}}}}}}}}}}}}\n`,
      /64 levels deep/,
    ],
  ] as const)
    expect(await refusalOf(text)).toMatch(message);
});

test('a text of several documents is several configurations', async () => {
  const { cases } = await importWith(
    `prompts: [a]\ntests: [{ ${graded} }]\n---\nprompts: [b]\ntests: [{ ${graded} }]\n`,
    {},
  );
  expect(cases.map(({ prompt }) => prompt)).toEqual(['a', 'b']);
});

test('a variable that nothing defines is empty and named; one of the environment costs the case', async () => {
  const { cases, lost } = await importWith(
    `prompts: ["Hi {{who}}{# a remark #}", "{{ env.HOME }}"]\ntests: [{ ${graded} }]\n`,
    {},
  );
  expect(cases.map(({ prompt }) => prompt)).toEqual(['Hi ']);
  expect(lost).toEqual([':2 {{who}}', ':2 template']);
});

test('the id of a test in its metadata is that of its case, and each further case of it has a number', async () => {
  const { cases, lost, warnings } = await importWith(
    `prompts: ["{{a}}"]\ntests: [tests.csv, { metadata: { id: 7, team: x }, vars: { a: [d, e] }, ${graded} }]\n`,
    { 'tests.csv': 'a,__expected,__metadata:id,__metadata:team\nb,z, late parcel,x\nc,z,,\n' },
  );
  expect(cases.map(({ id, title, prompt }) => [prompt, id, title])).toEqual([
    ['b', 'late-parcel', 'late parcel'],
    ['c', expect.stringMatching(/^case-/), undefined],
    ['d', '7', undefined],
    ['e', '7-2', undefined],
  ]);
  expect(lost).toEqual([
    ':2 test: metadata.team',
    'tests.csv:2 column __metadata:team',
    'tests.csv:2 id late parcel',
  ]);
  expect(warnings.join('\n')).toContain('`metadata.id` of a test');
});

test('a variable that only a provider reads is named', async () => {
  const text = `prompts: ["{{a}}"]\ntests: [{ vars: { a: 1, path: x, b: "{{a}}" }, assert: [{ type: contains, value: "{{ b }}" }] }]\n`;
  expect((await importWith(text, {})).warnings[0]).toStartWith('path: no prompt and no assertion names');
  const many = Array.from({ length: 23 }, (_, at) => `v${at}: 1`).join(', ');
  const { warnings } = await importWith(`prompts: [x]\ntests: [{ vars: { ${many} }, ${graded} }]\n`, {});
  expect(warnings[0]).toContain('v19 and 3 more: no prompt');
});

test('a suite is no configuration, and a configuration no suite', async () => {
  expect(await refusalOf('suite: 1\nname: abc\ncases: []\n')).toContain('`--suite-file`');
  const checked = await checkSuite('prompts: [a]\ntests: []\nproviders: [x]\n', 'yaml');
  expect(checked).toMatchObject({ faults: [{ message: expect.stringContaining('`evaluate --import`') }] });
});

test('cases that no grader is left of are left out, or kept and marked', async () => {
  const text = `prompts: ["{{a}}"]\ntests: [{ vars: { a: 1 } }, { vars: { a: 2 }, assert: [{ type: perplexity }] }, { vars: { a: 3 }, ${graded} }]\n`;
  expect((await importWith(text, {})).cases.map(({ prompt }) => prompt)).toEqual(['3']);
  const kept = (await importWith(text, {}, { keepUngraded: true })).cases;
  const tags = [['ungraded'], ['lost-assertions', 'ungraded'], undefined];
  expect(kept.map((each) => each.tags)).toEqual(tags);
  expect(kept[0]?.expect).toEqual([{ length: 'characters', min: 1 }]);
});

test('an alias without its anchor is a fault in its line', async () => {
  const imported = await importSuite('prompts: [x]\ntests: *nowhere\n', 'promptfoo', { name: 'imported' });
  expect(imported).toMatchObject({
    ok: false,
    faults: [{ line: 2, message: 'No anchor `&nowhere` stands before this alias.' }],
  });
});

test('files that name each other end at a depth, which is lost', async () => {
  const imported = await importWith(`prompts: [x]\ntests: [a.yaml, { ${graded} }]\n`, {
    'a.yaml': '- b.yaml',
    'b.yaml': '- a.yaml',
  });
  expect(imported).toMatchObject({ cases: [{ prompt: 'x' }], lost: ['b.yaml:1 tests from a.yaml'] });
});

test.each([
  ['"x*.csv"', 300, { 'x*.csv': Array(100).fill('a.csv'), 'a.csv': 'w' }, 'files are named'],
  ['a.csv', 60, { 'a.csv': `w\n${'1\n'.repeat(9_999)}` }, 'The records up to here have more than'],
])('what %s names is counted as often as it is read', async (named, times, files, complaint) => {
  const text = `prompts: [x]\ntests: [${Array(times).fill(named).join(',')}]\n`;
  expect(await refusalOf(text, 'promptfoo', { files })).toContain(complaint);
});

test('a prompt of JSON is counted in each case, since each parses it', async () => {
  const values = Array.from({ length: 60 }, (__, at) => `"${at}"`).join(',');
  const prompt = `[${' '.repeat(400_000)}{"role":"user","content":"{{a}}"}]`;
  const text = `prompts: ['${prompt}']\ntests: [{ vars: { a: [${values}] }, ${graded} }]\n`;
  expect(await refusalOf(text)).toContain('filling in variables makes more than');
});

test('samples that several evals of a registry name are counted for each', async () => {
  const evals = Array.from(
    { length: 7 },
    (_, at) => `e${at}: { class: "x:Match", args: { samples_jsonl: s.jsonl } }\n`,
  );
  const files = { 's.jsonl': `{"input":"a","ideal":"b"}${'\n'.repeat(3_500_000)}`, '../data/s.jsonl': null };
  expect((await importText(evals.join(''), 'openai-evals', { files })).lines).toEqual(['6 e5', '7 e6']);
});
