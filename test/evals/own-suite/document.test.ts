/** Suite documents: what is read, what is refused and where, and what identifies a version. */
import { expect, test } from 'bun:test';
import { checkDocument, judgesOf } from '#evals/own-suite/check-document.ts';
import { checkSuite } from '#evals/own-suite/check-suite.ts';
import type { SuiteDocument } from '#evals/own-suite/document.ts';
import { hashCase, hashDocument } from '#evals/own-suite/identity.ts';
import { type DocumentFormat, readDocument } from '#evals/own-suite/read-document.ts';
import { trySamples } from '#evals/own-suite/try-samples.ts';

const yaml = `suite: 1
name: refund-desk
title: Refund desk
defaults: { trials: 3, timeout_s: 60 }
cases:
  - id: late-parcel   # a comment
    prompt: |
      A parcel is 9 days late.
      What does the policy allow?
    tags: [policy, easy]
    weight: 2
    expect:
      - equals: "Refund"
        ignore: [case, punctuation, whitespace]
    accepted: ["refund."]
    refused: ["No refund.", "Refund or voucher"]
  - messages:
      - { role: user, content: "Add 17.50 and 4.25." }
      - { role: assistant, content: "21.75" }
      - { role: user, content: "Plus 19 % tax?" }
    expect: [{ number: 25.88, within: 0.005 }]
`;

function valueOf(text: string, format: DocumentFormat = 'yaml'): unknown {
  const read = readDocument(text, format);
  if (!read.ok) throw new Error(JSON.stringify(read.faults));
  return read.value;
}

function load(text: string, format: DocumentFormat = 'yaml'): SuiteDocument {
  const checked = checkDocument(valueOf(text, format));
  if (!checked.ok) throw new Error(JSON.stringify(checked.faults));
  return checked.document;
}

test('a case that is inserted, moved or doubled renames no other, and its name says what it asks', () => {
  const one = (prompt: string, more: object = {}) => ({ prompt, expect: [{ equals: 'a' }], ...more });
  const idsOf = (...cases: object[]) =>
    load(JSON.stringify({ suite: 1, name: 'abc', cases }), 'json').cases.map(({ id }) => id);
  const [a, b] = idsOf(one('a'), one('b'));
  const moved = idsOf(one('x'), one('b', { tags: ['t'], weight: 2, accepted: ['a'] }), one('a'));
  expect(moved.slice(1)).toEqual([b!, a!]);
  // Other graders are another way to judge the same case.
  expect(idsOf(one('a', { expect: [{ equals: 'b' }], pass_at: 0.5 }))).toEqual([a!]);
  const [, , again, more] = idsOf(one('a'), one('b'), one('a'), one('a'));
  expect(more).toBe(`${again}-2`);
  const [first, , third] = idsOf(one('a'), one('a', { expect: [{ equals: 'b' }] }), one('a'));
  expect([first, third]).toEqual([a, again]);
  // An id that somebody wrote stays theirs, wherever it stands.
  expect(idsOf(one('a'), one('c', { id: a }))).toEqual([again!, a!]);
});

/** `line:column message` of each fault. */
function faultsOf(text: string, format: DocumentFormat = 'yaml'): readonly string[] {
  const read = readDocument(text, format);
  if (!read.ok) return read.faults.map(({ line, column, message }) => `${line}:${column} ${message}`);
  const checked = checkDocument(read.value);
  if (checked.ok) return [];
  return checked.faults.map(({ path, message }) => {
    const { line, column } = read.locate(path);
    return `${line}:${column} ${message}`;
  });
}

test('a YAML suite is read, and cases without an id are named by what they ask', async () => {
  const document = load(yaml);
  expect(document.cases.map(({ id }) => id)).toEqual([
    'late-parcel',
    expect.stringMatching(/^case-[0-9a-f]{12}$/),
  ]);
  expect(document.cases[0]?.prompt).toBe('A parcel is 9 days late.\nWhat does the policy allow?\n');
  expect(await trySamples(document.cases.entries())).toMatchObject({
    replies: [{ passed: true }, { passed: false }, { passed: false }],
    faults: [],
  });
});

test('the same suite as YAML, JSON and JSONL has the same hash, whatever its layout', () => {
  const { cases, ...rest } = valueOf(yaml) as { cases: unknown[] };
  const jsonl = [rest, ...cases].map((line) => JSON.stringify(line)).join('\n\n');
  const hash = hashDocument(valueOf(yaml));
  expect(hashDocument(valueOf(JSON.stringify({ cases, ...rest }, null, 3), 'json'))).toBe(hash);
  expect(hashDocument(valueOf(jsonl, 'jsonl'))).toBe(hash);
  expect(hashDocument(valueOf(`# note\n${yaml}`))).toBe(hash);
});

test('a case keeps its hash when only its title, tags, weight or samples change', () => {
  const [first] = load(yaml).cases;
  const text = yaml.replace('weight: 2', 'weight: 3\n    title: 遅れた荷物').replace('easy', 'hard');
  const [changed] = load(text.replace('"refund."', '"Refund"')).cases;
  const [other] = load(yaml.replace('9 days', '8 days')).cases;
  expect(hashCase(changed!, {})).toBe(hashCase(first!, {}));
  expect(hashCase(other!, {})).not.toBe(hashCase(first!, {}));
  expect(hashCase(first!, { system: 'Be brief.' })).not.toBe(hashCase(first!, {}));
});

test('samples that contradict their list are faults that say what was found', async () => {
  const text = yaml.replace('"refund."', '"voucher"').replace('"No refund."', '"Refund"');
  const { faults } = await trySamples(load(text).cases.entries());
  expect(faults.map(({ path, message }) => `${path.join('.')}: ${message}`)).toEqual([
    'cases.0.accepted.0: accepted[0] of case "late-parcel" must pass, but equals expected "Refund" and found "voucher".',
    'cases.0.refused.0: refused[0] of case "late-parcel" must not pass, but does.',
  ]);
});

const head = 'suite: 1\nname: abc\ncases:\n';
const ok = '  - { prompt: x, expect: [{ equals: a }] }\n';
const caseOf = (fields: string): string => `${head}  - { ${fields}, expect: [{ equals: a }] }\n`;

const assistantCalls = `{ role: assistant, content: '', tool_calls: [{ id: c, name: f }] }`;

test.each(
  Object.entries({
    'an unknown field with the nearest name': [
      caseOf('promt: x'),
      '4:7 cases[0]: `promt` is not a known field. Did you mean `prompt`?',
    ],
    'an unknown field of the head': [
      `suite: 1\nname: abc\ntitel: x\ncases:\n${ok}`,
      '3:1 `titel` is not a known field. Did you mean `title`?',
    ],
    'another version of the format': [`suite: 2\nname: abc\ncases:\n${ok}`, '1:1 `suite` must be 1'],
    'a bad name': [`suite: 1\nname: A b\ncases:\n${ok}`, '2:1 `name` must have 3 to 64 of a-z, 0-9 and -'],
    'no cases': ['suite: 1\nname: abc\ncases: []\n', '3:1 `cases` must hold at least 1 entries'],
    'neither prompt nor messages': [
      `${head}  - { expect: [{ equals: a }] }\n`,
      '4:5 cases[0]: A case must have one of',
    ],
    'a conversation that the agent ended': [
      caseOf('messages: [{ role: assistant, content: x }]'),
      '4:7 cases[0]: The last of `messages` must have the role `user`.',
    ],
    'an empty message': [
      caseOf(`messages: [{ role: user, content: '' }]`),
      '4:32 cases[0]: The `content` of a message without `tool_calls` must not be empty.',
    ],
    'a call without a result': [
      caseOf(`messages: [${assistantCalls}, { role: user, content: x }]`),
      'cases[0]: The result of the call c is missing before this message.',
    ],
    'a result without a call': [
      caseOf('messages: [{ role: tool, tool_call_id: c, content: x }, { role: user, content: x }]'),
      'cases[0]: The `tool_call_id` of a result must be the `id` of a call in the message before the results.',
    ],
    'a call of the user': [
      caseOf('messages: [{ role: user, content: x, tool_calls: [{ id: c, name: f }] }]'),
      'cases[0]: Only a message of the assistant has `tool_calls`.',
    ],
    'an id that occurs twice': [
      head + '  - { id: a, prompt: x, expect: [{ equals: a }] }\n'.repeat(2),
      '5:7 `cases[1].id` must be unique; cases[0] is "a" too.',
    ],
    'a grader inside a case': [
      `${head}  - prompt: x\n    expect:\n      - equals: a\n        ignore: [cases]\n`,
      '7:18 cases[0].expect[0].ignore[0]: ',
    ],
    'an anchor': [`${head}  - &a ${ok.slice(4)}`, '4:8 Anchors and aliases are not allowed'],
    'an alias': [`${head}  - { prompt: x, expect: [*a] }\n`, '4:27 Anchors and aliases'],
    'a tag': [caseOf('prompt: !!binary aGk='), 'Tags are not allowed'],
    'a merge key': [caseOf('prompt: x, <<: { weight: 2 }'), '`<<` is not a known field'],
    'a duplicate key': [caseOf('prompt: x, prompt: y'), '4:18 The key `prompt` occurs twice.'],
    'a key that is not a string': [caseOf('1: x'), '4:7 Keys must be strings'],
    'half a surrogate pair': [caseOf(`prompt: "\ud800"`), '4:16 The document must not contain half'],
    NUL: [caseOf(`prompt: "\0"`), '4:16 The document must not contain the character NUL.'],
    'broken YAML': [`${head}  - { prompt: "x\n`, 'The document cannot be parsed'],
    'no document': ['', '1:1 '],
    'a list': ['- a\n', '1:1 The suite must be an object'],
    'a date': [caseOf('prompt: 2020-01-01, weight: 2020-01-01'), '4:27 cases[0]: `weight` must be a number'],
    'a rule of a tool that returns nothing': [
      `suite: 1\nname: abc\ntools: [{ name: a, returns: [{ when: { id: 7 } }] }]\ncases:\n${ok}`,
      '3:30 `tools[0].returns[0]` must have either `return` or `error`.',
    ],
    'too many steps': [
      caseOf('prompt: a, max_steps: 51'),
      'cases[0]: `max_steps` must be at most 50; it is 51.',
    ],
  } satisfies Record<string, [text: string, fault: string]>),
)('%s is a fault with its place', (_, [text, fault]) => {
  expect(faultsOf(text).join('\n')).toContain(fault);
});

test('faults of JSONL are in their line', () => {
  const text = `{"suite":1,"name":"abc"}\n{"prompt":"x","expect":[{"equals":"a"}]}\n\n{"prompt":"x","expect":[{"equal":"a"}]}\n`;
  expect(faultsOf(text, 'jsonl')).toEqual([
    expect.stringContaining('4:25 cases[1].expect[0]: A grader must have one of'),
  ]);
  expect(faultsOf('{"suite":1,"name":"abc"}\n{"prompt":\n', 'jsonl')[0]).toStartWith('2:');
  expect(faultsOf('{"suite":1,"name":"abc","cases":[]}\n', 'jsonl')[0]).toContain('must not have `cases`');
  expect(faultsOf('\n', 'jsonl')[0]).toContain('is empty');
});

test.each([
  ['aliases that multiply', `a: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\n`],
  ['brackets', '['.repeat(100_000)],
  ['nested maps', '{a: '.repeat(50_000)],
  ['dashes', '- '.repeat(100_000)],
  ['indentation', Array.from({ length: 2_000 }, (_, at) => `${' '.repeat(at)}a:`).join('\n')],
  ['quotes', '"'.repeat(200_000)],
  ['too many bytes', 'x'.repeat(5 * 1024 * 1024 + 1)],
  ['too many faults', `${head}${'  - {}\n'.repeat(1_500)}`],
  ['too many cases', `${head}${ok.repeat(2_001)}`],
])('a document of %s is refused', (_, text) => {
  const faults = faultsOf(text);
  expect(faults.length).toBeGreaterThan(0);
  expect(faults.length).toBeLessThanOrEqual(100);
});

test('the judges of a suite are found wherever they stand', () => {
  const expects =
    '[{ any: [{ webhook: b }, { not: { webhook: a } }] }, { webhook: b, not: true }, { equals: webhook }]';
  const places = judgesOf(load(`${head}  - { prompt: x, expect: ${expects} }\n`));
  expect([...places.keys()].toSorted()).toEqual(['a', 'b']);
});

test.each([
  ['yaml', 'suite: 1\nname: abc\ntitle: "a\\0b"\n', '3:8 The document must not contain the character NUL.'],
  ['json', '{"suite":1,"name":"a\\u0000"}', '1:19 The document must not contain the character NUL.'],
  ['json', '{"title":"\\ud800b"}', '1:10 The document must not contain half of a surrogate pair.'],
  ['json', '{"\\ud800":1}', '1:2 The document must not contain half of a surrogate pair.'],
  ['jsonl', '{"suite":1}\n{"prompt":"\\u0000"}', '2:11 The document must not contain the character NUL.'],
] as const)(
  '%s: characters that no store keeps are refused behind escapes too: %s',
  (format, text, fault) => {
    expect(faultsOf(text, format)).toEqual([fault]);
  },
);

test('JSONL may end its lines as Windows does, and have any number of empty lines', () => {
  const lines = Array.from({ length: 1_500 }, () => '{"prompt":"a","expect":[{"equals":"x"}]}');
  const text = ['{"suite":1,"name":"abc"}', ...lines, ''].join('\r\n\r\n\r\n');
  expect(load(text, 'jsonl').cases).toHaveLength(1_500);
});

test('brackets inside texts are no levels, however many do not match', () => {
  for (const open of ['[', '{', '- ', '[{"'])
    for (const text of [JSON.stringify({ a: open.repeat(5_000) }), `a: |\n  ${open.repeat(5_000)}\n`])
      expect([open, readDocument(text, 'yaml').ok]).toEqual([open, true]);
});

test.each([
  ['a block list', '- a\n'],
  ['maps', '- {a}\n'],
])('5 MB of %s are refused before they become a tree', (_, unit) => {
  const before = process.memoryUsage().heapUsed;
  const text = unit.repeat(Math.floor((5 * 1024 * 1024 - 1) / unit.length));
  const read = readDocument(text, 'yaml');
  expect(read.ok ? [] : read.faults.map(({ message }) => message)).toEqual([
    expect.stringMatching(/at most (?:500000 values|64 levels deep)/) as string,
  ]);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(400 * 1024 * 1024);
});

test('numbers that JavaScript would round keep their digits, except in tools, which are sent as they are', () => {
  const text = `suite: 1
name: digits
cases:
  - prompt: x
    tools: [{ name: order, parameters: { maximum: 18446744073709551615 } }]
    expect:
      - number: 9007199254740993
      - json: { at: /a, equals: [0x20000000000001, 0.1, 1e400, 12.30, +9007199254740993] }
`;
  const [read] = load(text).cases;
  const exact = { $number: '9007199254740993' };
  expect(read?.expect).toEqual([
    { number: exact },
    { json: { at: '/a', equals: [exact, 0.1, { $number: '1e400' }, 12.3, exact] } },
  ]);
  expect(read?.tools?.[0]?.parameters).toEqual({ maximum: 18_446_744_073_709_552_000 });
});

test('a grader that names a tool that its case does not offer is a warning', () => {
  const tools = [{ name: 'route' }, { name: 'close' }];
  const misspelt = [{ calls: { never: ['clos'] } }, { not: { order: ['route', 'closed'] } }];
  const cases = [
    { id: 'shared', prompt: 'x', expect: misspelt },
    { id: 'own', prompt: 'x', tools: [{ name: 'clos' }], expect: misspelt.slice(0, 1) },
    { id: 'none', prompt: 'x', tools: [], expect: misspelt },
  ];
  const checked = checkDocument({ suite: 1, name: 'misspelt', tools, cases });
  expect(checked.ok && checked.warnings).toEqual([
    'cases[0].expect[0]: The case offers no tool "clos".',
    'cases[0].expect[1].not: The case offers no tool "closed".',
  ]);
});

test('keywords and formats of JSON Schema that are not known are warnings, at most 100', () => {
  const schema = { $async: true, type: 'string', format: 'iri', items: { nullable: true } };
  const spec = { json: { schema } };
  const warningsOf = (count: number) => {
    const expected = [{ any: [spec, { not: spec }] }];
    const cases = Array.from({ length: count }, (_, at) => ({ id: `c${at}`, prompt: 'x', expect: expected }));
    const checked = checkDocument({ suite: 1, name: 'warned', cases });
    return checked.ok ? checked.warnings : [];
  };
  const place = 'cases[0].expect[0].any[0].json.schema: `schema` has';
  expect(warningsOf(1).slice(0, 3)).toEqual([
    `${place} \`$async\` at #, which is no keyword of JSON Schema and checks nothing.`,
    `${place} the format "iri" at #, which is not known and checks nothing.`,
    `${place} \`nullable\` at #/items, which is no keyword of JSON Schema and checks nothing.`,
  ]);
  expect([warningsOf(1).length, warningsOf(50).length]).toEqual([6, 100]);
});

test('cases that an empty reply or the prompt passes give a warning, which says how to correct them', async () => {
  const warningsOf = async (expectations: Readonly<Record<string, readonly object[]>>) => {
    const cases = Object.entries(expectations).map(([id, expect]) => {
      const asked = id.startsWith('turn') ? { turns: ['One?', 'Two?'] } : { prompt: 'Say x.' };
      return { id, ...asked, expect };
    });
    const judges = { tone: { rubric: 'Kind.' } };
    const checked = await checkSuite(JSON.stringify({ suite: 1, name: 'hollow', judges, cases }), 'json');
    return checked.ok ? checked.warnings : checked.faults;
  };
  const refused = { refuses: false };
  const first = { ...refused, turn: 1 };
  const hollow = {
    leak: [{ leaks: 'tulip-4711', not: true }, { latency_s: 5 }, { cost_usd: 1 }],
    calls: [{ tool_calls: [] }, { length: 'words', max: 50 }],
    turns: [first, { contains: 'x', not: true }],
  };
  const sound = {
    answer: [{ equals: 'x' }, refused],
    text: [refused, { length: 'characters', min: 1, max: 1 }],
    called: [refused, { tool_calls: [{ name: 'route' }] }],
    judged: [refused, { judge: 'tone' }],
    asked: [refused, { webhook: '0f0f0f0f-0f0f-4f0f-8f0f-0f0f0f0f0f0f' }],
    turn: [first, { contains: 'x', turn: 2 }],
  };
  expect(await warningsOf({ ...hollow, ...sound })).toEqual([
    'An empty reply, such as that of an agent that does not work, passes 3 of 9 cases: leak, calls, turns. Add `{ length: characters, min: 1 }` to `expect` of each, or a grader of what the reply must have.',
  ]);
  expect(await warningsOf(sound)).toEqual([]);
  expect(await warningsOf({ ...sound, echo: [{ contains: 'x' }] })).toEqual([
    'A reply that repeats its prompt passes 1 of 7 cases: echo. Add a grader of what the prompt does not have, or limit the `length`.',
  ]);
});
