/** What promptfoo configurations say beyond plain assertions keeps its meaning, or is named as lost. */
import { expect, test } from 'bun:test';
import { importSuite } from '#evals/own-suite/import/import-suite.ts';
import { importText, refusalOf } from './import-text.ts';

const expectOf = (assertions: string, vars = '{ a: x }') =>
  importText(
    `prompts: [hi]\ntests:\n  - vars: ${vars}\n    assert: [{ type: contains, value: z }, ${assertions}]\n`,
  );

test('each value of a listed variable is filled in where assertions and other variables name it', async () => {
  const { cases } = await importText(
    `prompts: ["{{ask}}"]\ntests:\n  - vars: { city: [Oslo, Rome], ask: "Where is {{city}}?", n: [1, 2] }\n` +
      `    assert: [{ type: contains-any, value: ["{{ city | upper }}", "{{n}}"] }]\n`,
  );
  expect(cases).toMatchObject([
    { prompt: 'Where is Oslo?', expect: [{ contains_any: ['OSLO', '[1,2]'] }] },
    { prompt: 'Where is Rome?', expect: [{ contains_any: ['ROME', '[1,2]'] }] },
  ]);
});

test('a prompt that a suite cannot have does not cost the other cases', async () => {
  const config = (graded: string) =>
    `prompts: ["{{a}}"]\ntests: [{ vars: { a: "" }${graded} }, { vars: { a: x }${graded} }]\n`;
  for (const graded of ['', ', assert: [{ type: regex, value: "(?=a)b" }]']) {
    const imported = await importSuite(config(graded), 'promptfoo', { name: 'imported', keepUngraded: true });
    expect(imported).toMatchObject({
      document: { cases: [{ prompt: 'x', tags: expect.arrayContaining(['ungraded']) }] },
      lost: expect.arrayContaining([
        { line: 2, construct: 'case 1', why: expect.stringContaining('must not be empty') },
      ]),
    });
  }
});

test('chat prompts keep values with quotes, may be YAML, and are lost if they have no counterpart', async () => {
  const { cases, lines } = await importText(
    `prompts:\n  - '[{"role":"user","content":"{{q.text}}"}]'\n  - '[{"role":"user","content":{{q.text | dump}}}]'\n` +
      `  - "- role: system\\n  content: Be brief.\\n- role: user\\n  content: Now"\n` +
      `  - '[{"role":"user","content":[{"type":"image_url"}]}]'\n` +
      `tests:\n  - vars: { q: { text: 'Say "a"' } }\n    assert: [{ type: equals, value: a }]\n`,
  );
  expect(cases.map(({ prompt, messages }) => prompt ?? messages?.length)).toEqual(['Say "a"', 'Say "a"', 2]);
  expect(lines).toEqual(['7 messages']);
});

test('a prompt that is JSON stays JSON, whatever its variables have', async () => {
  const q = 'He said "it is broken"\nC:\\new';
  const asked = async (prompt: string) => {
    const test = { vars: { q, n: 2 }, assert: [{ type: 'equals', value: 'a' }] };
    const { cases, lost } = await importText(JSON.stringify({ prompts: [prompt], tests: [test] }));
    return [cases[0]?.prompt, lost.length];
  };
  const written = (value: unknown) => [JSON.stringify(value, null, 2), 0];
  const values = [{ question: '{{q}}', more: { list: ['{{n}}', 3, null, true] } }, ['Q: {{q}}'], '{{q}}'];
  for (const value of values) {
    const filled = JSON.parse(JSON.stringify(value).replaceAll('{{n}}', '2'), (_, each: unknown) =>
      typeof each === 'string' ? each.replaceAll('{{q}}', q) : each,
    ) as unknown;
    expect(await asked(JSON.stringify(value))).toEqual(written(filled));
  }
  // A block of YAML ends with a line break, which promptfoo does not send.
  const block = `prompts: ['{"q":"{{q}}"}']\ntests:\n  - vars:\n      q: |\n        one\n\n        two\n    assert: [{ type: contains, value: "{{q}}" }]\n`;
  expect((await importText(block)).cases).toMatchObject([
    { prompt: '{\n  "q": "one\\n\\ntwo"\n}', expect: [{ contains: 'one\n\ntwo' }] },
  ]);
  // Without quotes around a variable, the template is no JSON, and promptfoo leaves it to its author.
  expect(await asked('{"q": {{q | dump}}}')).toEqual([`{"q": ${JSON.stringify(q)}}`, 0]);
  expect(await asked('{"q": "{{q}}"} please')).toEqual([`{"q": "${q}"} please`, 0]);
});

test('a prompt of deeply nested JSON is refused before it is written', async () => {
  const prompt = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const tests = [{ assert: [{ type: 'equals', value: 'a' }] }];
  expect(await refusalOf(JSON.stringify({ prompts: [prompt], tests }))).toContain('characters');
});

const labelled = ['brief: Late', 'polite: Late', 'brief', 'polite'];

test.each([
  ['[{ raw: "A {{q}}", label: brief }, { raw: "B {{q}}", label: polite }]', labelled],
  ['{ "A {{q}}": brief, "B {{q}}": polite }', labelled],
  ['["A {{q}}", "B {{q}}"]', ['Late', 'Late', undefined, undefined]],
  ['[{ raw: "A {{q}}", label: brief }]', ['Late', undefined]],
])('of several prompts, the titles of cases have the labels: %s', async (prompts, titles) => {
  const asserted = 'assert: [{ type: equals, value: a }]';
  const { cases } = await importText(
    `prompts: ${prompts}\ntests: [{ description: Late, vars: { q: 1 }, ${asserted} }, { vars: { q: 2 }, ${asserted} }]\n`,
  );
  expect(cases.map(({ title }) => title)).toEqual([...titles]);
});

test('scenarios combine their data with their tests, and references find their assertion', async () => {
  const { cases, lines } = await importText(
    `prompts: ["{{a}} {{b}}"]\nassertionTemplates: { short: { type: contains, value: "{{b}}" } }\nscenarios:\n` +
      `  - config: [{ vars: { a: 1 } }, { vars: { a: 2 } }]\n` +
      `    tests: [{ vars: { b: 3 }, assert: [{ $ref: "#/assertionTemplates/short" }] }]\n`,
  );
  expect(cases).toMatchObject([
    { prompt: '1 3', expect: [{ contains: '3' }] },
    { prompt: '2 3', expect: [{ contains: '3' }] },
  ]);
  expect(lines).toEqual([]);
});

test('fields beside a reference stand in place of those of its template', async () => {
  const { cases, lines } = await importText(
    `prompts: [hi]\nassertionTemplates: { has: { type: contains, value: a, weight: 2 } }\n` +
      `tests:\n  - assert:\n      - { $ref: "#/assertionTemplates/has", value: b, metric: m }\n` +
      `      - { $ref: "#/assertionTemplates/none", value: b }\n`,
  );
  expect(cases).toMatchObject([{ expect: [{ contains: 'b', weight: 2, metric: 'm' }] }]);
  expect(lines).toEqual(['6 assert']);
});

test('a default threshold holds, and nothing of the default test is dropped in silence', async () => {
  const { cases, lines } = await importText(
    `prompts: [x]\ndefaultTest:\n  threshold: 0.5\n  metadata: { a: 1 }\n  options: { provider: y }\n` +
      `  assert: [{ type: equals, value: x }]\n`,
  );
  expect(cases).toMatchObject([{ prompt: 'x', pass_at: 0.5, expect: [{ equals: 'x' }] }]);
  expect(lines).toEqual(['4 defaultTest: metadata.a', '5 defaultTest: options.provider']);
});

test('an assertion that would grade something else is left out', async () => {
  const { cases, lines } = await expectOf(
    '{ type: equals, value: a, transform: output.b }, { type: equals, value: c, weight: 0 }, ' +
      '{ type: is-json, value: "{{ a | other }}" }',
  );
  expect(cases).toMatchObject([{ expect: [{ contains: 'z' }] }]);
  expect(lines).toEqual([
    '4 assert: equals with transform',
    '4 assert: equals with weight',
    '4 assert: is-json',
  ]);
  const transformed = await importSuite(
    'prompts: [x]\ntests: [{ options: { transform: a }, assert: [{ type: equals, value: x }] }]\n',
    'promptfoo',
    { name: 'imported' },
  );
  expect(transformed).toMatchObject({
    ok: false,
    faults: [
      { message: 'No case could be imported.' },
      { line: 2, message: expect.stringContaining('test: options.transform') },
      { line: 2, message: expect.stringContaining('no grader') },
    ],
  });
});

test.each([
  ['{ type: cost, threshold: 0.002 }', { cost_usd: 0.002 }],
  ['{ type: not-latency, threshold: 1500 }', { latency_s: 1.5, not: true }],
  [
    '{ type: assert-set, assert: [{ type: contains, value: a }, { type: contains, value: b, weight: 2 }] }',
    { all: [{ contains: 'a' }, { contains: 'b' }] },
  ],
  [
    '{ type: assert-set, weight: 2, metric: "Good Form", threshold: 0.7, assert: [{ type: contains, value: a, weight: 3 }, { type: not-regex, value: b }] }',
    {
      any: [
        { contains: 'a', weight: 3 },
        { matches: 'b', not: true },
      ],
      at_least: 0.7,
      weight: 2,
      metric: 'good-form',
    },
  ],
  [
    '{ type: not-icontains, value: a, weight: 0.5, metric: "{{a}}" }',
    { contains: 'a', ignore: ['case'], not: true, weight: 0.5, metric: 'x' },
  ],
  ['{ type: equals, value: a, transform: output.trim() }', { equals: 'a' }],
])('%s keeps its meaning', async (assertion, grader) => {
  const { cases, lines } = await expectOf(assertion);
  expect(cases[0]?.expect[1] as unknown).toEqual(grader);
  expect(lines).toEqual([]);
});

test('a set counts in part where its test passes with a share, and what it lost does not cost the rest', async () => {
  const imported = (second: string, more = '') =>
    importText(
      `prompts: [hi]\ntests: [{ assert: [{ type: assert-set, assert: [{ type: contains, value: a }, { type: ${second} }] }]${more} }]`,
    );
  expect((await imported('is-refusal', ', threshold: 0.5')).cases[0]?.expect).toEqual([
    { any: [{ contains: 'a' }, { refuses: true }], at_least: 1 },
  ]);
  const { cases, lines } = await imported('moderation');
  expect(cases[0]?.expect).toEqual([{ all: [{ contains: 'a' }] }]);
  expect(lines).toEqual(['2 assert: moderation']);
});

test.each([
  ['', [{ contains: 'z' }, { all: [{ contains: 'a' }] }]],
  ['    threshold: 0.5\n', [{ contains: 'z' }]],
])(
  'a set that weighs nothing fails its test, unless the test passes with a share: %j',
  async (more, graders) => {
    const set = '{ type: assert-set, weight: 0, assert: [{ type: contains, value: a }] }';
    const { cases, lines } = await importText(
      `prompts: [hi]\ntests:\n  - assert: [{ type: contains, value: z }, ${set}]\n${more}`,
    );
    expect(cases[0]?.expect as unknown).toEqual(graders);
    expect(lines).toEqual(['3 assert: assert-set with weight']);
  },
);

test('descriptions become titles, in any script', async () => {
  const { cases, lines } = await importText(
    `prompts: [hi]\ntests:\n  - description: 出力がJSON形式か確認\n    assert: [{ type: equals, value: a }]\n` +
      `  - description: "${'Long '.repeat(30)}"\n    assert: [{ type: equals, value: b }]\n`,
  );
  expect(cases.map(({ title, tags }) => [title?.slice(0, 13), tags])).toEqual([
    ['出力がJSON形式か確認', undefined],
    ['Long Long Lon', undefined],
  ]);
  expect(lines).toEqual(['5 title']);
});

test.each([
  ['{ type: regex, value: "(?i)a" }', 'no counterpart'],
  ['{ type: regex, value: "\\\\p{L}" }', 'no counterpart'],
  ['{ type: starts-with, value: 5 }', 'no counterpart'],
  [`{ type: contains-any, value: '"a' }`, 'no counterpart'],
  ['{ type: contains-json, value: { type: array } }', 'no counterpart'],
  ['{ type: is-valid-openai-tools-call }', 'No provider lists its tools'],
  ['{ type: moderation }', '`rubric`'],
  ['{ type: icontain, value: a }', 'Did you mean `icontains`?'],
  ['{ type: llm-rubrik, value: a }', 'Did you mean `llm-rubric`?'],
])('%s has no counterpart, and the report says why', async (assertion, why) => {
  const text = `prompts: [hi]\ntests:\n  - assert: [{ type: contains, value: z }, ${assertion}]\n`;
  const imported = await importSuite(text, 'promptfoo', { name: 'imported' });
  expect(imported).toMatchObject({
    document: { cases: [{ expect: [{ contains: 'z' }], tags: ['lost-assertions'] }] },
    lost: [{ line: 3, why: expect.stringContaining(why) }],
  });
});

const weather = {
  name: 'weather',
  description: 'Now',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

test.each([
  ['is-valid-openai-tools-call', { tools: [{ type: 'function', function: weather }] }, { at_least: 1 }],
  ['is-valid-openai-function-call', { functions: [weather] }, { at_least: 1, at_most: 1 }],
  ['is-valid-openai-tools-call', { tools: 'file://tools.json' }, { at_least: 1 }],
])('%s: calls are of the tools of a provider, with valid arguments', async (type, config, counts) => {
  const text = JSON.stringify({
    prompts: ['hi'],
    providers: ['openai:a', { id: 'openai:b', config }, { 'openai:c': { config } }],
    tests: [{ assert: [{ type }] }],
  });
  const files = { 'tools.json': JSON.stringify([weather]) };
  const imported = await importSuite(text, 'promptfoo', { name: 'imported', files });
  expect(imported).toMatchObject({
    document: {
      tools: [weather],
      cases: [{ expect: [{ calls: { ...counts, arguments: { weather: weather.parameters } } }] }],
    },
    lost: [],
  });
});

test.each(['constructor', '__proto__', 'not-toString'])('%s is no assertion', async (type) => {
  const { cases, lines } = await expectOf(`{ type: ${type}, value: x }`);
  expect(cases).toMatchObject([{ expect: [{ contains: 'z' }] }]);
  expect(lines).toEqual([`4 assert: ${type}`]);
});

test('an Inspect data set as CSV separates choices by commas', async () => {
  const { cases, lost } = await importText('input,target,choices\nWhich?,B,"sky, sea"\n', 'inspect');
  expect([cases[0]?.expect, lost]).toEqual([[{ choice: 'B', options: ['A', 'B'] }], []]);
});
