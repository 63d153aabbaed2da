/** Suites are expanded before they are checked: files beside them, defaults, variables and turns. */
import { expect, test } from 'bun:test';
import { stringify } from 'yaml';
import type { FilesGiven } from '#evals/own-suite/beside.ts';
import { checkSuite } from '#evals/own-suite/check-suite.ts';
import type { SuiteDocument } from '#evals/own-suite/document.ts';

async function soundSuite(document: string | object, files?: FilesGiven) {
  const checked = await checkSuite(textOf(document), 'yaml', files);
  if (!checked.ok) throw new Error(JSON.stringify(checked));
  return checked;
}

const expanded = async (document: string | object, files?: FilesGiven) =>
  (await soundSuite(document, files)).value as SuiteDocument;

async function faultsOf(document: string | object, files?: FilesGiven): Promise<readonly string[]> {
  const checked = await checkSuite(textOf(document), 'yaml', files);
  if (checked.ok) return [];
  return checked.faults.map(({ file = '', line, column, message }) => `${file}:${line}:${column} ${message}`);
}

function textOf(document: string | object): string {
  return typeof document === 'string' ? document : stringify({ suite: 1, name: 'abc', ...document });
}

const short = `suite: 1
name: abc
template: 'Order {{order.id}} of {{ customer | upper }}: what now?'
defaults:
  trials: 2
  vars: { customer: Ada, most: 9 }
  tags: [shop]
  expect: [{ length: words, max: '{{most}}' }]
cases:
  - id: late
    vars: { order: { id: 7 }, right: [refund, voucher], literal: '{{kept}}' }
    expect: [{ one_of: '{{right}}' }, { contains: 'the {{literal}}', not: true }]
    accepted: [refund]
  - id: plain
    tags: [easy, shop]
    messages: [{ role: user, content: 'I am {{customer}}.' }]
    expect: [{ number: '{{most}}' }]
`;

test('variables, the template and defaults are expanded, and values keep their type', async () => {
  expect(await expanded(short)).toEqual({
    suite: 1,
    name: 'abc',
    defaults: { trials: 2 },
    cases: [
      {
        id: 'late',
        prompt: 'Order 7 of ADA: what now?',
        tags: ['shop'],
        expect: [
          { one_of: ['refund', 'voucher'] },
          { contains: 'the {{kept}}', not: true },
          { length: 'words', max: 9 },
        ],
        accepted: ['refund'],
      },
      {
        id: 'plain',
        messages: [{ role: 'user', content: 'I am Ada.' }],
        tags: ['easy', 'shop'],
        expect: [{ number: 9 }, { length: 'words', max: 9 }],
      },
    ],
  });
});

test('a suite is the same version whether it is written short or in full', async () => {
  const { hash, value } = await soundSuite(short);
  expect((await soundSuite(stringify(value))).hash).toBe(hash);
});

test('a suite without variables and template keeps braces as text', async () => {
  const cases = [{ id: 'a', prompt: 'Render {{name}}.', expect: [{ contains: '{{name}}' }] }];
  expect((await expanded({ cases })).cases).toEqual(cases);
});

test('an unknown variable is a fault at its line, said once for a default of all cases', async () => {
  const text = short
    .replace('{{order.id}}', '{{ordr.id}}')
    .replace('accepted: [refund]', "accepted: ['{{right}}']")
    .replace("{ length: words, max: '{{most}}' }", "{ contains: '{{nme}}' }");
  expect(await faultsOf(text)).toEqual([
    ':3:1 cases[0].prompt: No variable is named `ordr.id`; give it in `vars`.',
    ':8:14 cases[0].expect[2].contains: No variable is named `nme`; give it in `vars`.',
    ':13:16 cases[0]: `accepted[0]` must be a string or an object; it is an array.',
  ]);
  const code = short.replace('{{order.id}}', '{{order.id + 1}}');
  expect((await faultsOf(code))[0]).toContain('No variable is named `order.id + 1`');
  expect((await faultsOf(short.replace('| upper', '| first')))[0]).toContain('the filters dump, lower');
});

const cases = (file: string, more: object = {}) => ({
  template: '{{question}}',
  defaults: { expect: [{ contains: '{{city}}' }] },
  cases: { file, map: { id: 'nr' }, ...more },
});

test('cases come from a table or from records: expected is a grader, and other columns are variables', async () => {
  const rows = [
    { nr: 'one', question: 'Of France?', city: 'Paris', expected: 'paris', tags: 'a;b' },
    { nr: 'two', question: 'Of Spain?', city: 'Madrid' },
  ];
  const files = {
    'c.csv': 'nr;question;city;expected;tags\none;Of France?;Paris;paris;"a;b"\ntwo;Of Spain?;Madrid;;\n',
    'c.jsonl': rows.map((row) => JSON.stringify(row)).join('\n'),
    'c.json': JSON.stringify(rows),
    'c.yaml': stringify(rows),
  };
  const equals = { equals: 'paris', read: 'answer', ignore: ['case', 'whitespace'] };
  for (const file of Object.keys(files))
    expect((await expanded(cases(file), files)).cases).toEqual([
      { id: 'one', prompt: 'Of France?', tags: ['a', 'b'], expect: [equals, { contains: 'Paris' }] },
      { id: 'two', prompt: 'Of Spain?', expect: [{ contains: 'Madrid' }] },
    ]);
});

test.each([
  ['c.jsonl', '{"question":"Is 9 prime?","city":"a","expected":null}', '`expected` must be a text'],
  ['c.jsonl', '{"question":"Is 9 prime?","city":"a","expected":{"x":1}}', '`expected` must be a text'],
  ['c.jsonl', '{"question":"Is 9 prime?","city":"a","expected":["yes",""]}', '`expected` must be a text'],
  ['c.csv', 'question,city,Expected\nIs 9 prime?,a,no\n', 'Rename `Expected`'],
  ['c.csv', 'question,city,expected\nIs 9 prime?,a\n', 'c.csv:2:1 The row has fewer cells than the first'],
])('in %s, the `expected` of %j is a fault', async (file, text, fault) => {
  const faults = await faultsOf(cases(file, { map: {} }), { [file]: text });
  expect(faults).toEqual([expect.stringContaining(fault)]);
});

test('a column that nothing names is warned of once', async () => {
  const document = cases('c.csv', { map: { expected: 'right' } });
  const csv = 'question,city,right,answer,note\nOf France?,Paris,a,b,c\nOf Spain?,Madrid,d,e,f\n';
  const { warnings } = await soundSuite(document, { 'c.csv': csv });
  expect(warnings.filter((each) => each.includes('column'))).toEqual([
    'answer, note: no prompt and no grader names these columns, so they have no effect. What is expected is mapped: `map: { expected: COLUMN }`.',
  ]);
});

test('a boolean is expected as a text', async () => {
  const files = { 'c.jsonl': '{"question":"Is 9 prime?","city":"a","expected":false}' };
  const made = await expanded(cases('c.jsonl', { map: {} }), files);
  expect(made).toMatchObject({ cases: [{ expect: [{ equals: 'false' }, { contains: 'a' }] }] });
});

test('a fault in a file beside the suite is at its line there', async () => {
  const csv = 'nr,question,city\none,"Capital\nof France?",Paris\nt o,Of Spain?,Madrid\n';
  expect(await faultsOf(cases('c.csv'), { 'c.csv': csv })).toEqual([
    expect.stringContaining('c.csv:4:1 cases[1]: `id` must have 1 to 64 letters'),
  ]);
  expect(await faultsOf(cases('c.csv'), { 'c.csv': 'a,b\n1,2,3\n' })).toEqual([
    expect.stringContaining('c.csv:1:1 `map` names `nr`'),
  ]);
  for (const odd of ['\\u0000', '\\ud800'])
    expect(await faultsOf(cases('c.jsonl'), { 'c.jsonl': `{"nr": "a", "question": "${odd}"}` })).toEqual([
      'c.jsonl:1:1 The record must not contain the character NUL or half of a surrogate pair.',
    ]);
  const yaml = 'defaults:\n  expect:\n    - { contians: x }\n';
  const including = { include: ['more.yaml'], cases: [{ prompt: 'Hi', expect: [{ equals: 'Hi' }] }] };
  expect(await faultsOf(including, { 'more.yaml': yaml })).toEqual([
    expect.stringContaining('more.yaml:3:7 cases[0].expect[1]: A grader must have one of the fields'),
  ]);
  expect(await faultsOf(including, { 'more.yaml': 'include: b.yaml\nname: b' })).toEqual([
    expect.stringContaining('more.yaml:1:1 `include` is not a known field'),
    expect.stringContaining('more.yaml:2:1 `name` is not a known field'),
  ]);
});

test('an included file brings defaults, judges, tools, a template and cases; those of the suite come first', async () => {
  const common = {
    template: 'Not this one.',
    defaults: { timeout_s: 5, trials: 4, vars: { a: 1, b: 2 }, tags: ['common'] },
    judges: { tone: { rubric: 'Polite.' }, care: { rubric: 'Careful.' } },
    tools: [{ name: 'route' }, { name: 'look' }],
    cases: [{ id: 'theirs', expect: [{ judge: 'care' }] }],
  };
  const own = {
    template: '{{a}} {{b}}',
    include: 'common.yaml',
    defaults: { trials: 2, vars: { a: 'own' } },
    judges: { tone: { rubric: 'Kind.' } },
    tools: [{ name: 'route', description: 'Own.' }],
    cases: [{ id: 'mine', expect: [{ judge: 'tone' }] }],
  };
  expect(await expanded(own, { 'common.yaml': stringify(common) })).toEqual({
    suite: 1,
    name: 'abc',
    defaults: { timeout_s: 5, trials: 2 },
    judges: { tone: { rubric: 'Kind.' }, care: { rubric: 'Careful.' } },
    tools: [{ name: 'route', description: 'Own.' }, { name: 'look' }],
    cases: [
      { id: 'mine', prompt: 'own 2', tags: ['common'], expect: [{ judge: 'tone' }] },
      { id: 'theirs', prompt: 'own 2', tags: ['common'], expect: [{ judge: 'care' }] },
    ],
  });
});

test('files that were not given are missing, and those that do not exist are faults', async () => {
  const both = { ...cases('c.csv'), include: 'common.yaml' };
  expect(await checkSuite(textOf(both), 'yaml', {})).toMatchObject({ missing: ['c.csv', 'common.yaml'] });
  const files = { 'common.yaml': null, 'c.csv': 'nr,question,city\n1,a,b\n' };
  const fault = 'There is no file "common.yaml" beside the suite.';
  expect(await faultsOf(both, files)).toEqual([expect.stringContaining(fault)]);
});

const big = 'x'.repeat(100_000);
const many = Array.from({ length: 2_000 }, (_, at) => ({ id: `c-${at}`, expect: [{ equals: 'a' }] }));
const vars = { a: big };
test.each(
  Object.entries<object>({
    'a default of all cases': { template: 'a', defaults: { expect: [{ contains: big }] } },
    'a long name in a default': { template: 'a', defaults: { expect: [{ [big]: 1 }] } },
    'a template of all cases': { template: big },
    'a variable of all cases': { template: '{{a}}', defaults: { vars } },
    'a variable that is named often': { template: '{{a}}'.repeat(10_000), defaults: { vars } },
    'a value of all cases': {
      template: 'a',
      defaults: { vars: { a: [big] }, expect: [{ one_of: '{{a}}' }] },
    },
  }),
)('%s cannot make a suite larger than it may be', async (_, document) => {
  const [fault] = await faultsOf({ ...document, cases: many });
  expect(fault).toMatch(/must have at most 5242880 bytes|characters\. Use fewer/);
});

const greeting = {
  prompt: 'Hi',
  expect: [{ contains: 'hello', weight: 2 }],
  accepted: ['hello you'],
  refused: ['bye'],
};
const parting = { expect: [{ contains: 'bye' }], accepted: ['bye'] };
const talk = { id: 'a', turns: [greeting, { prompt: 'Bye' }], ...parting };

test('turns become texts, and their graders and replies say which turn they are for', async () => {
  expect((await expanded({ cases: [talk] })).cases).toEqual([
    {
      id: 'a',
      turns: ['Hi', 'Bye'],
      expect: [{ contains: 'hello', weight: 2, turn: 1 }, { contains: 'bye' }],
      accepted: [{ text: 'hello you', turn: 1 }, 'bye'],
      refused: [{ text: 'bye', turn: 1 }],
    },
  ]);
});

test('a turn that no message or no grader has is a fault', async () => {
  const faults = (change: object) => faultsOf({ cases: [{ ...talk, ...change }] });
  const bye = { equals: 'bye' };
  const slow = '`latency_s` applies to the whole case';
  for (const [change, fault] of [
    [{ turns: [{ promt: 'Hi' }] }, '`turns[0].promt` is not a known field. Did you mean `prompt`?'],
    [{ expect: [{ contains: 'a', turn: 3 }] }, 'The case has 2 turns.'],
    [{ expect: [{ any: [{ contains: 'a', turn: 1 }] }, bye] }, 'Only an entry of `expect` has a `turn`'],
    [{ expect: [{ latency_s: 1, turn: 1 }, bye] }, slow],
    [{ expect: [{ all: [{ contains: 'a' }, { latency_s: 1 }], turn: 1 }, bye] }, slow],
    [{ accepted: [{ text: 'a', turn: 2 }] }, 'No grader looks at this reply; `expect` of turn 2 is missing.'],
  ] as const)
    expect(await faults(change)).toContainEqual(expect.stringContaining(fault));
  expect(await faultsOf({ cases: [{ prompt: 'Hi', expect: [{ equals: 'a', turn: 1 }] }] })).toContainEqual(
    expect.stringContaining('Only a case with `turns` has a `turn`.'),
  );
});
