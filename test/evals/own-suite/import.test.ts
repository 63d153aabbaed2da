/** Files of other tools become suites, and nothing is dropped in silence. */
import { expect, test } from 'bun:test';
import { importSuite } from '#evals/own-suite/import/import-suite.ts';
import type { ImportFormat } from '#evals/own-suite/import/imported.ts';
import { passerOf } from './grader-tables.ts';
import { importText, refusalOf } from './import-text.ts';

const unnamed = expect.stringMatching(/^case-[0-9a-f]{12}$/);

/** For each case, which of the replies pass. */
async function passing(cases: Awaited<ReturnType<typeof importText>>['cases'], replies: readonly string[]) {
  const passed = await Promise.all(cases.map((each) => Promise.all(replies.map(passerOf(each)))));
  return passed.map((own) => replies.filter((_, at) => own[at]));
}

const promptfoo = `description: Translations
prompts:
  - "Translate to {{language}}: {{input}}"
  - '[{"role":"system","content":"You translate."},{"role":"user","content":"{{input}} in {{language}}"}]'
  - file://prompt.txt
providers: [openai:gpt-4o-mini]
defaultTest:
  assert:
    - { type: latency, threshold: 2000 }
tests:
  - vars: { language: French, input: Hello }
    assert:
      - { type: icontains, value: bonjour }
      - { type: not-contains, value: "{{input}}" }
      - type: javascript
        value: output.length < 100
  - vars: { language: [German, Dutch], input: Hi }
    assert:
      - { type: levenshtein, value: Hallo, threshold: 1 }
      - { type: contains, value: a, weight: 2 }
  - vars: { language: "{% if x %}y{% endif %}" }
    assert: [{ type: equals, value: x }]
  - file://tests.csv
`;

test('a promptfoo configuration becomes a case for every prompt, test and listed variable', async () => {
  const { document, lines } = await importText(promptfoo, 'promptfoo');
  expect(document.title).toBe('Translations');
  expect(document.cases.map(({ prompt, messages }) => prompt ?? messages?.at(-1)?.content)).toEqual([
    'Translate to French: Hello',
    'Hello in French',
    'Translate to German: Hi',
    'Hi in German',
    'Translate to Dutch: Hi',
    'Hi in Dutch',
  ]);
  expect(document.cases[1]?.messages?.[0]).toEqual({ role: 'system', content: 'You translate.' });
  expect(
    await passing(document.cases.slice(0, 3), ['Bonjour', 'Bonjour is Hello', 'Hallo', 'Hello']),
  ).toEqual([['Bonjour'], ['Bonjour'], ['Hallo']]);
  expect(lines).toEqual([
    '5 prompt from prompt.txt',
    '15 assert: javascript',
    '21 template',
    '21 {{input}}',
    '23 tests from tests.csv',
  ]);
});

test.each([
  ['contains-all', 'a, b', ['a b'], ['a']],
  ['contains-all', '[true, 1]', ['true 1'], ['true']],
  ['contains-any', `'"a, ""b""", "c\\"d"'`, ['a, "b"', 'c"d'], ['a', 'b', 'c']],
  ['contains', '" no "', ['oh no no'], ['no', 'note', 'oh no']],
  ['icontains-any', '[" NO ", x]', ['oh no no', 'X'], ['no']],
  ['starts-with', '"(a) *"', ['(a) * b'], ['x (a) *']],
  ['starts-with', '" a"', ['a b'], ['b a']],
  ['regex', '"^[0-9]+$"', ['12'], ['a']],
  ['regex', '"^[\\u4e00-\\u9fff]+$"', ['東京'], ['Tokyo']],
  [
    'regex',
    "'^a\\sb[\\w\\s-.][^\\S\\n]\\S$'",
    ['a\u00a0b\ufeff\u3000c', 'a b- é'],
    ['a b \u00a0\u00a0', 'a b \nc', 'a b  '],
  ],
  [
    'not-regex',
    "'^x[\\S]x$|\\\\s'",
    ['x\u00a0x', 'x\u2028x', '\\ s'],
    ['\\s', 'xax', 'x\u200bx', 'x\u{10ffff}x'],
  ],
  ['regex', "'^a[\\s\\S]b$'", ['a\nb', 'a\u00a0b', 'aéb'], ['ab']],
  ['regex', `'^${'[\\S]+ '.repeat(6)}end$'`, ['1 2 3 4 5 6 end'], ['1 2 3 4 5 end']],
  ['is-json', '{ type: object, required: [a] }', ['{"a":1}'], ['{}', 'a', '```json\n{"a":1}\n```']],
  ['not-is-json', '', ['none', '```json\n{"a":1}\n```'], ['{"a":1}']],
  ['contains-json', '', ['```json\n[{"a":1}]\n```', 'It is {"a": "}"}, or so'], ['none', '{ a', '[1]', '5']],
  ['contains-json', '{ required: [a] }', ['{x} or {"b": 1} or {"a": 1}'], ['{"b": 1}', '{"b": {"a": 1}}']],
  ['equals', '{ a: 1 }', ['{"a":1}'], ['{"a":2}', '```json\n{"a":1}\n```']],
  ['equals', 'true', ['true'], ['1']],
  ['not-equals', 'x', ['y'], ['x']],
  ['is-refusal', '', ["I can't help with that."], ['Sure.']],
  ['not-contains-json', '{ required: [a] }', ['{"b":1}', 'none'], ['So: {"a":1}']],
  ['word-count', '{ max: 2 }', ['one two', ''], ['one two three']],
  ['not-word-count', '"2"', ['one'], ['one two']],
  ['rouge-n', 'the cat, the hat', ['The hat, the cat', 'the cat and the hat'], ['a cat and some hats']],
  ['levenshtein', 'kitten', ['kitten', 'sitting', 'kit'], ['a dog']],
  ['not-levenshtein', 'kitten', ['a long dog'], ['sitting']],
])('promptfoo: %s has a counterpart that grades alike', async (type, value, right, wrong) => {
  const given = value === '' ? '' : `\n        value: ${value}`;
  const text = `prompts: [x]\ntests:\n  - assert:\n      - type: ${type}${given}\n`;
  const { document } = await importText(text, 'promptfoo');
  expect(await passing(document.cases, [...right, ...wrong])).toEqual([right]);
});

test('an Inspect data set becomes cases with choices as letters', async () => {
  const user = (content: unknown) => [{ role: 'user', content }];
  const inspect = [
    { input: 'Capital of France?', target: 'Paris', id: 'fr' },
    { input: user('Which is red?'), choices: ['sky', 'blood'], target: 'B', id: 2, metadata: { x: 1 } },
    { input: 'Fix it', target: 'ok', sandbox: 'docker', files: { a: 'b' } },
    { input: user([{ type: 'image', image: 'x' }]), target: 'cat' },
  ];
  for (const text of [
    JSON.stringify(inspect, null, 1),
    inspect.map((each) => JSON.stringify(each)).join('\n'),
  ]) {
    const { document, lost } = await importText(text, 'inspect');
    expect(document.cases.map(({ id }) => id)).toEqual(['fr', '2', unnamed]);
    expect(document.cases[1]?.prompt).toContain('A) sky\nB) blood');
    const passed = await passing(document.cases, ['It is Paris.', 'B', 'A', 'ok']);
    expect(passed).toEqual([['It is Paris.'], ['B'], ['ok']]);
    expect(lost.map(({ construct }) => construct)).toEqual(['metadata', 'sandbox', 'files', 'input']);
  }
});

test.each([
  ['match', ['Paris', 'It is Paris.'], ['Paris is it']],
  ['exact', ['paris.'], ['It is Paris']],
  ['answer', ['The answer is Paris.'], ['London']],
  ['includes', ['Paris, France'], ['London']],
  ['f1', ['Paris'], ['London']],
])('Inspect: the scorer %s has a counterpart', async (scorer, right, wrong) => {
  const { document } = await importText('{"input":"?","target":"Paris"}', 'inspect', { grading: scorer });
  expect(await passing(document.cases, [...right, ...wrong])).toEqual([right]);
});

test.each([
  ['東京', ['答えは東京。'], ['東京ではありません。大阪です。']],
  ['Москва', ['Это Москва.'], ['Не Москва, а Минск.']],
  ['42', ['ANSWER: 42'], ['42は間違いです。']],
])('Inspect: what follows the target %s is no other word, in any script', async (target, right, wrong) => {
  const { document } = await importText(JSON.stringify({ input: '?', target }), 'inspect', {
    grading: 'match',
  });
  expect(await passing(document.cases, [...right, ...wrong])).toEqual([right]);
});

test('Inspect: the letter of a choice is not looked for in a reply', async () => {
  const text = '{"input":"?","target":"A","choices":["Paris","Rome"]}\n{"input":"?","target":"Paris"}';
  const { cases, lost } = await importText(text, 'inspect', { grading: 'includes' });
  expect(cases).toMatchObject([{ expect: [{ contains: 'Paris' }] }]);
  expect(lost).toMatchObject([{ line: 1, why: expect.stringContaining('without `--grading`') }]);
});

test('OpenAI Evals: a reply must begin with one of the ideals, or as the template says', async () => {
  const text =
    '{"input":[{"role":"system","content":"Be brief."},{"role":"user","content":"2+2?"}],"ideal":["4","four"]}\n' +
    '{"input":[{"role":"system","content":"3+3?"}],"ideal":"6"}\n{"input":"x","args":{}}';
  const { document, lines } = await importText(text, 'openai-evals');
  expect(document.cases.map(({ prompt, messages }) => prompt ?? messages?.length)).toEqual([2, '3+3?']);
  expect(await passing(document.cases, ['4', 'four.', '6', 'It is 4'])).toEqual([['4', 'four.'], ['6']]);
  expect(lines).toEqual(['3 args', '3 ideal']);
  const included = (await importText(text, 'openai-evals', { grading: 'includes' })).document;
  expect(await passing(included.cases, ['It is 4'])).toEqual([['It is 4'], []]);
});

test('OpenAI Evals: a registry names samples, how they are graded, and what has no counterpart', async () => {
  const registry = `facts:\n  id: facts.v1\n  metrics: [accuracy]\nfacts.v1:\n  class: evals.elsuite.basic.includes:Includes
  args: { samples_jsonl: facts/s.jsonl, ignore_case: true }\ntold.v1:\n  class: evals.elsuite.modelgraded.classify:ModelBasedClassify
  args: { samples_jsonl: told.jsonl, modelgraded_spec: fact }\nrun.v1: { class: "own:Runs", args: { samples_jsonl: a } }\n`;
  const given = { name: 'imported', files: {} };
  const files = { 'facts/s.jsonl': null, 'told.jsonl': '{"input":"x","ideal":"y","id":"東京"}\n' };
  const more = {
    '../data/facts/s.jsonl': '{"input":"?","ideal":"Paris","n":1}\n',
    '../data/told.jsonl': null,
  };
  expect(await importSuite(registry, 'openai-evals', given)).toMatchObject({
    missing: [...Object.keys(more), ...Object.keys(files)],
  });
  const imported = await importSuite(registry, 'openai-evals', { ...given, files: { ...files, ...more } });
  if (!imported.ok) throw new Error(JSON.stringify(imported.faults));
  expect(imported.document.cases).toMatchObject([
    { prompt: '?', expect: [{ contains: 'Paris' }] },
    { prompt: 'x', title: '東京', expect: [{ judge: expect.stringContaining('modelgraded-fact') }] },
  ]);
  expect(imported.lost.map(({ line, construct, file }) => `${file ?? ''}:${line} ${construct}`)).toEqual([
    ':4 facts.v1: args.ignore_case',
    ':10 run.v1',
    '../data/facts/s.jsonl:1 n',
    'told.jsonl:1 id 東京',
  ]);
});

test('CSV: rows become cases with tags', async () => {
  const { document, lines } = await importText(
    'id,prompt,expected,tags,note\na,"Add 1, 2",3,Easy;maths,x\nb,,4,,\n',
    'csv',
  );
  expect(document.cases).toMatchObject([{ id: 'a', prompt: 'Add 1, 2', tags: ['easy', 'maths'] }]);
  expect(await passing(document.cases, ['3', 'The answer is 3.', '33'])).toEqual([['3', 'The answer is 3.']]);
  expect(lines).toEqual(['1 column note', '3 row']);
});

test.each([
  ['inspect', '{"input":', 'cannot be parsed'],
  ['inspect', '[1]', 'must be an object'],
  ['openai-evals', '{"input":"x"}', 'No case could be imported'],
  ['csv', 'question,answer\na,b\n', '`prompt` is missing'],
  ['csv', '"a\n', 'cannot be parsed'],
  ['csv', 'prompt,expected,expected\na,b,c\n', 'names the column `expected` twice'],
  ['promptfoo', '- a', 'must be an object'],
  ['promptfoo', 'prompts: [', 'cannot be parsed'],
  ['promptfoo', '', 'must be an object'],
] as const)('%s: %j is refused and says why', async (format, text, message) => {
  expect(await refusalOf(text, format)).toContain(message);
});

test('right replies beyond those that a grader takes are lost, with their number', async () => {
  const many = Array.from({ length: 20 }, (_, at) => `reply ${at}`);
  const why = async (text: string, format: ImportFormat, grading: string) => {
    const { lost } = await importText(text, format, { grading });
    return lost.map((one) => one.why).filter((one) => one.includes('right replies'));
  };
  const openai = JSON.stringify({ input: 'x', ideal: many });
  expect(await why(openai, 'openai-evals', 'match')).toEqual([
    'The first 16 of 20 right replies are imported, which is all that the grader takes.',
  ]);
  const json = JSON.stringify({ input: 'x', ideal: many.map((one) => JSON.stringify(one)) });
  expect(await why(json, 'openai-evals', 'json-match')).toEqual([expect.stringContaining('16 of 20')]);
  const inspectOne = JSON.stringify({ input: 'x', target: many });
  expect(await why(inspectOne, 'inspect', 'f1')).toEqual([expect.stringContaining('10 of 20')]);
});

test('ids that occur twice or break the rule do not stop an import, which says so', async () => {
  const text = 'id,prompt,expected\nx y,1,1\nx y,2,2\n!!,3,3\n';
  const { cases, lines, warnings } = await importText(text, 'csv');
  expect(cases.map(({ id }) => id)).toEqual(['x-y', unnamed, unnamed]);
  expect(lines).toEqual(['2 id x y', '3 id x y', '3 id x-y', '4 id !!']);
  expect(warnings).toEqual([expect.stringContaining('missing in 2 of 3 cases')]);
  expect((await importText('id,prompt,expected\na,1,1\n', 'csv')).warnings).toEqual([]);
});

test('a grading that a format does not have is refused, with those that it has', async () => {
  const refused = async (format: ImportFormat) => refusalOf('{}', format, { grading: 'includs' });
  expect(await refused('inspect')).toContain(
    'one of match, includes, exact, answer, choice, pattern, model_graded_qa, model_graded_fact, f1 for inspect',
  );
  expect(await refused('openai-evals')).toContain(
    'one of match, includes, fuzzy-match, modelgraded-fact, modelgraded-closedqa, json-match for openai-evals',
  );
  for (const format of ['csv', 'promptfoo'] as const)
    expect(await refused(format)).toContain(`must not be given for ${format}`);
});
