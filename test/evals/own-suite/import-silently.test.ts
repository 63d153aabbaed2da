/** What importers must not change or drop in silence: cells, columns, names, marks of files, and lost assertions. */
import { expect, test } from 'bun:test';
import { readDocument } from '#evals/own-suite/read-document.ts';
import { importText, refusalOf } from './import-text.ts';

const said = (lost: Awaited<ReturnType<typeof importText>>['lost']) =>
  lost.map(({ line, construct, why }) => `${line} ${construct}: ${why}`);

test('a row whose text was cut at a comma is left out and said, and one with empty cells or fewer is not', async () => {
  const { cases, lost } = await importText(
    'id,prompt,expected,tags\na,Greet,Hello, friend,x\nb,Greet,"Hello, friend",,,\nc,d,e\n',
    'csv',
  );
  expect(cases).toMatchObject([{ id: 'b', expect: [{ equals: 'Hello, friend' }] }, { id: 'c' }]);
  expect(said(lost)).toEqual([
    '2 row: It has 1 more cell than the first line, so a text would be cut. Put texts with `,` into double quotes.',
  ]);
  expect(await refusalOf('prompt,expected\nGreet,Hello, friend\n', 'csv')).toBe('No case could be imported.');
});

test.each([
  ['a semicolon', 'id;prompt;expected\na;"x, y; z";1,5\n'],
  ['a comma, with line ends of two kinds', 'id,prompt,expected\na,"x, y; z","1,5"\r\n'],
  ['a tab', 'id\tprompt\texpected\na\tx, y; z\t1,5\n'],
  ['what Excel declares', 'sep=;\r\nid;prompt;expected\r\na;"x, y; z";1,5\r\n'],
  ['a comma, with other marks in quotes', 'id,prompt,expected,"a;b;c;d"\na,"x, y; z","1,5",\n'],
])('columns are separated by %s', async (_, text) => {
  expect((await importText(text, 'csv')).cases).toMatchObject([
    { id: 'a', prompt: 'x, y; z', expect: [{ equals: '1,5' }] },
  ]);
});

test('other names of columns and fields are mapped', async () => {
  const csv = await importText('question;answer;prompt\nWho?;Ada;no\n', 'csv', {
    map: 'prompt=question, expected=answer',
  });
  expect(csv.cases).toMatchObject([{ prompt: 'Who?', expect: [{ equals: 'Ada' }] }]);
  const jsonl = '{"question":"Who?","solution":"Ada","n":1}\n';
  expect(await importText(jsonl, 'inspect', { map: 'input=question,target=solution' })).toMatchObject({
    cases: [{ prompt: 'Who?', expect: [{ contains: 'Ada' }] }],
    lost: [{ line: 1, construct: 'n', why: 'A case has no such field.' }],
  });
  expect(
    (await importText(jsonl, 'openai-evals', { map: 'input=question,ideal=solution' })).cases,
  ).toHaveLength(1);
  const own = `${jsonl}{"question":"Who?","target":"Bob"}\n`;
  const { lost } = await importText(own, 'inspect', { map: 'input=question,target=solution' });
  const why = '`map` names `solution` for it, which this record lacks.';
  expect(lost).toContainEqual({ line: 2, construct: 'target', why });
});

test.each([
  ['csv', 'prompt', 'must be pairs such as prompt=COLUMN'],
  ['csv', 'input=question', 'each for another one of prompt, expected, tags, id'],
  ['csv', 'prompt=a,prompt=b', 'must be pairs'],
  ['csv', 'prompt=a,expected=a', 'another column for each field'],
  ['csv', 'prompt=question,expected=answer', '`map` names `question` for `prompt`, but no record has it.'],
  ['promptfoo', 'prompt=a', 'must not be given for promptfoo'],
] as const)('%s refuses the map %s', async (format, map, message) => {
  expect(await refusalOf('prompt,expected\na,b\n', format, { map })).toContain(message);
});

test('a byte order mark changes nothing, in any format', async () => {
  const bom = '\ufeff';
  expect((await importText(`${bom}prompt,expected\na,b\n`, 'csv')).cases).toHaveLength(1);
  expect((await importText(`${bom}{"input":"a","target":"b"}\n`, 'inspect')).cases).toHaveLength(1);
  expect((await importText(`${bom}[{"input":"a","ideal":"b"}]`, 'openai-evals')).cases).toHaveLength(1);
  const config = `${bom}prompts: ["{{x}}"]\ntests: [{ vars: { x: a }, assert: [{ type: equals, value: b }] }]\n`;
  expect((await importText(config, 'promptfoo')).cases).toHaveLength(1);
  for (const format of ['yaml', 'json', 'jsonl'] as const)
    expect(readDocument(`${bom}{"suite": 1}`, format)).toMatchObject({ ok: true, value: { suite: 1 } });
});

test('ids and tags that cannot be kept are said; case, spaces and accents of tags are no loss', async () => {
  const { cases, lines } = await importText(
    'id,prompt,expected,tags\n東京,a,b,Früh Am Tag;東京;a/b\n1 a,a,b,\n',
    'csv',
  );
  expect(cases).toMatchObject([{ tags: ['fruh-am-tag', 'a-b'] }, { id: '1-a' }]);
  expect(lines).toEqual(['2 tag 東京', '2 tag a/b', '2 id 東京', '3 id 1 a']);
});

test('few-shot names of messages become roles, and what else a message has is said', async () => {
  const input = [
    { role: 'system', content: 'Be short.' },
    { role: 'system', name: 'example_user', content: 'Capital of France?' },
    { role: 'system', name: 'example_assistant', content: 'Paris' },
    { role: 'user', name: 'ada', content: 'Of Italy?', cache: true, weight: null },
  ];
  const { cases, lines } = await importText(`${JSON.stringify({ input, ideal: 'Rome' })}\n`, 'openai-evals');
  expect(cases[0]?.messages?.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
  expect(lines).toEqual(['1 name of a message', '1 cache of a message']);
});

const promptfoo = (assertions: string, more = '') => `prompts: ["{{x}}"]
tests:
  - vars: { x: keep }
    assert: [{ type: contains, value: b }]
  - vars: { x: a }
    ${more}
    assert: ${assertions}
`;
const lacking = '{ type: moderation }';

test.each([
  `[${lacking}, { type: not-contains, value: b }]`,
  `[${lacking}, { type: latency, threshold: 100 }]`,
  `[${lacking}, { type: not-is-refusal }]`,
  `[{ type: regex, value: "(?<!x)y" }, { type: not-contains, value: b }]`,
  `[${lacking}, { type: assert-set, assert: [{ type: not-contains, value: b }, { type: not-regex, value: c }] }]`,
  `[${lacking}, { type: assert-set, threshold: 0.1, assert: [{ type: not-contains, value: b }, { type: equals, value: c }] }]`,
  `[${lacking}, { type: contains, value: "{{x}}" }]`,
])(
  'a case that is left with %s would pass an agent that echoes or says nothing, so it is left out',
  async (assertions) => {
    const { cases, lost } = await importText(promptfoo(assertions), 'promptfoo');
    expect(cases.map(({ prompt }) => prompt)).toEqual(['keep']);
    expect(said(lost)).toContainEqual(expect.stringContaining('an empty reply or its own prompt would pass'));
  },
);

test('a case that lost some assertions is marked, and counts if a reply can fail it', async () => {
  const { cases } = await importText(promptfoo(`[${lacking}, { type: contains, value: b }]`), 'promptfoo');
  expect(cases).toMatchObject([
    { expect: [{ contains: 'b' }] },
    { tags: ['lost-assertions'], lost: ['assert: moderation'] },
  ]);
  expect([cases[0]?.tags, cases[0]?.lost]).toEqual([undefined, undefined]);
  const many = `${lacking}, `.repeat(18);
  const lost = `[${many}{ type: regex, value: "(?<!x)y" }, { type: contains, value: b }]`;
  const [, marked] = (await importText(promptfoo(lost))).cases;
  expect(marked?.lost?.slice(-2)).toEqual(['assert: moderation', '4 more']);
  const half = `[${lacking}, { type: contains, value: b }, { type: not-contains, value: c }]`;
  expect((await importText(promptfoo(half, 'threshold: 0.5'))).cases).toHaveLength(1);
  // Nothing was lost: the source passes with any reply too.
  expect((await importText(promptfoo('[{ type: not-contains, value: b }]'))).cases).toHaveLength(2);
});

const longList = `[${'a,'.repeat(2_000)}]`;
const configured = (prompts: string, ...more: string[]) =>
  `prompts: ${prompts}\ntests: [${['{ assert: [{ type: equals, value: a }] }', ...more].join(', ')}]\n`;
const lostTests = configured('[x, y]', '{ vars: { a: [b, c] } }', '{ assert: [{ type: moderation }] }');
const tooMany = configured('[x]', `{ vars: { a: ${longList}, b: ${longList} } }`);
const unread = configured('[x]', '{ path: made.py }', 'file://a.py', 'file://a.csv');

test.each([
  ['rows', 'csv', 'prompt,expected\na,b\nc,\nGreet,Hello, friend\n', 2],
  ['samples of Inspect', 'inspect', '{"input":"a","target":"b"}\n{"input":"a"}\n', 1],
  ['samples of OpenAI', 'openai-evals', '{"input":"a","ideal":"b"}\n{"input":"a"}\n', 1],
  ['tests', 'promptfoo', lostTests, 6],
  ['more tests than are counted', 'promptfoo', tooMany, 1_000_000],
  ['tests of programs and other files', 'promptfoo', unread, 3],
  ['prompts', 'promptfoo', configured('[x, file://made.py, "{% if a %}"]'), 2],
  ['nothing', 'promptfoo', configured('[x]'), undefined],
] as const)('the suite says how many cases its import left out: %s', async (_, format, text, leftOut) => {
  expect((await importText(text, format)).document.left_out).toBe(leftOut);
});

test('a key that occurs twice in a line is refused, in any depth', async () => {
  for (const line of ['{"input":"a","ideal":"b","ideal":"c"}', '{"input":[{"role":"user","role":"system"}]}'])
    expect(
      await refusalOf(`{"input":"a:\\"b\\":","ideal":["x",9007199254740993]}\n${line}`, 'openai-evals'),
    ).toContain('A key occurs twice');
});

test('scores that count only in promptfoo, and a set without assertions, are reported', async () => {
  const { cases, lost } = await importText(
    'prompts: [x]\ntests:\n  - threshold: 0.5\n    assert: [{ type: rouge-n, value: a b }, { type: assert-set, assert: [] }]\n',
    'promptfoo',
  );
  expect(cases).toMatchObject([{ pass_at: 0.5, expect: [{ similar: 'rouge-1' }] }]);
  expect(said(lost)).toEqual([
    '4 assert: rouge-n: It counts in full or not at all towards the threshold of its test.',
    '4 assert-set: It has no assertions.',
  ]);
});

test('the instructions of a developer are those of the system, and spaces around a target count', async () => {
  const input = '[{"role":"developer","content":"Be brief."},{"role":"user","content":"?"}]';
  const { cases, lost } = await importText(`{"input":${input},"target":" Yes"}`, 'inspect');
  expect(cases).toMatchObject([
    { messages: [{ role: 'system' }, { role: 'user' }], expect: [{ matches: ' Yes', flags: 'i' }] },
  ]);
  expect(lost).toEqual([]);
});
