/** The schemas of the `json` grader: the same verdicts as a known validator, in bounded work. */
import { expect, test } from 'bun:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type Fields, parseExactJson } from '#evals/own-suite/exact-json.ts';
import { checkGrader } from '#evals/own-suite/graders/registry.ts';
import { prepareSchema } from '#evals/own-suite/json-schema/prepare-schema.ts';
import { maxReplyWork } from '#evals/own-suite/limits.ts';
import { TooMuchWorkError, WorkBudget } from '#evals/own-suite/work-budget.ts';
import type { JsonValue } from '#evals/own-suite/graders/read-json.ts';
import { createRandom, type Random } from '#evals/random.ts';
import { drawSeeds } from '#test/evals/draw-seeds.ts';

function matches(schema: Fields, value: JsonValue, work = new WorkBudget(maxReplyWork)): boolean {
  return prepareSchema(schema, work)(value, work) === null;
}

type Values<Value> = readonly Value[];

function expectOnly<Value>(right: Values<Value>, wrong: Values<Value>, passes: (one: Value) => boolean) {
  expect([...right, ...wrong].filter(passes)).toEqual([...right]);
}

/** As data, because a linter takes an object with `then` for a promise. */
const conditional = JSON.parse(
  '{"if":{"properties":{"a":true},"required":["a"]},"then":{"properties":{"b":true}},"unevaluatedProperties":false}',
) as Fields;
const names = ['a', 'b', 'c', 'ab'];

function drawValue(random: Random, depth = 0): JsonValue {
  const kind = random.int(0, depth < 2 ? 6 : 4);
  if (kind === 0) return null;
  if (kind === 1) return random.chance(0.5);
  if (kind === 2) return random.pick([0, 1, 2, 1.5, -3, 0.3]);
  if (kind <= 4) return random.pick(['', 'a', 'ab', 'é', '👍', 'abc']);
  const parts = Array.from({ length: random.int(0, 3) }, () => drawValue(random, depth + 1));
  return kind === 5 ? parts : Object.fromEntries(parts.map((part) => [random.pick(names), part]));
}

/** Any schema, without `contains` and `unevaluated…`, which Ajv does not take as 2020-12 says; a table below has them. */
function drawSchema(random: Random, depth = 0): Fields | boolean {
  if (random.chance(0.1)) return random.chance(0.7);
  const sub = () => (depth < 2 ? drawSchema(random, depth + 1) : true);
  const subs = () => Array.from({ length: random.int(1, 3) }, sub);
  const named = () => Object.fromEntries(random.sample(names, random.int(1, 3)).map((name) => [name, sub()]));
  const size = () => random.int(0, 3);
  const all: Readonly<Record<string, () => unknown>> = {
    type: () =>
      random.pick(['object', 'array', 'string', 'number', 'integer', 'null', ['boolean', 'object']]),
    enum: () => [drawValue(random), drawValue(random), { a: 1, b: 2 }],
    const: () => drawValue(random),
    minimum: size,
    exclusiveMaximum: size,
    multipleOf: () => random.pick([1, 2, 0.5]),
    minLength: size,
    maxLength: size,
    pattern: () => random.pick(['^a', 'b$', '^.$']),
    minItems: size,
    maxItems: size,
    uniqueItems: () => true,
    minProperties: size,
    maxProperties: size,
    required: () => random.sample(names, random.int(1, 2)),
    dependentRequired: () => ({ a: ['b'] }),
    properties: named,
    patternProperties: () => ({ '^a': sub() }),
    additionalProperties: sub,
    propertyNames: sub,
    dependentSchemas: named,
    items: sub,
    prefixItems: subs,
    allOf: subs,
    anyOf: subs,
    oneOf: subs,
    not: sub,
    if: sub,
    else: sub,
    $ref: () => random.pick(['#/$defs/one', '#/$defs/two']),
  };
  const chosen = random.sample(Object.keys(all), random.int(1, 4));
  const drawn = Object.fromEntries(chosen.map((name) => [name, all[name]?.()]));
  // Added as data, because a linter takes an object with `then` for a promise.
  return 'if' in drawn ? Object.assign(drawn, JSON.parse(`{"then":${JSON.stringify(sub())}}`)) : drawn;
}

const withoutReferences = (schema: Fields | boolean): Fields | boolean =>
  JSON.stringify(schema).includes('$ref') ? true : schema;

test('schemas of all keywords have the verdicts of Ajv', () => {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, logger: false, unevaluated: false });
  const seen = { passed: 0, failed: 0 };
  for (const seed of drawSeeds('json-schema', 300)) {
    const random = createRandom(seed, 'schema');
    const drawn = drawSchema(random);
    const [one, two] = [drawSchema(random, 1), drawSchema(random, 1)].map(withoutReferences);
    const $defs = { one: one!, two: two! };
    const schema = { ...(typeof drawn === 'boolean' ? { not: !drawn } : drawn), $defs };
    const check = ajv.compile(schema);
    for (let count = 0; count < 20; count += 1) {
      const value = drawValue(random);
      const passed = check(value);
      seen[passed ? 'passed' : 'failed'] += 1;
      const drawnAs = { seed, schema, value };
      expect({ ...drawnAs, passed: matches(schema, value) }).toEqual({ ...drawnAs, passed });
    }
  }
  expect(Math.min(seen.passed, seen.failed)).toBeGreaterThan(300);
});

test.each<[Fields, readonly JsonValue[], readonly JsonValue[]]>([
  [{ contains: { const: 1 } }, [[1], [0, 1], {}], [[], [0]]],
  [{ contains: { const: 1 }, minContains: 0 }, [[], [0]], []],
  [{ contains: { const: 1 }, minContains: 2, maxContains: 2 }, [[1, 1]], [[1], [1, 1, 1]]],
  [{ contains: { const: 1 }, unevaluatedItems: false }, [[1], [1, 1]], [[1, 2]]],
  [{ prefixItems: [true], unevaluatedItems: { type: 'string' } }, [[1], [1, 'a']], [[1, 1]]],
  [{ allOf: [{ items: true }], unevaluatedItems: false }, [[1, 2]], []],
  [{ properties: { a: true }, unevaluatedProperties: false }, [{ a: 1 }], [{ b: 1 }]],
  [{ allOf: [{ properties: { a: true } }], unevaluatedProperties: false }, [{ a: 1 }], [{ b: 1 }]],
  // A schema does not see what the schemas beside it evaluate.
  [{ properties: { a: true }, allOf: [{ unevaluatedProperties: false }] }, [{}], [{ a: 1 }]],
  // Only what matched counts.
  [
    { anyOf: [{ properties: { a: { const: 1 } }, required: ['a'] }, true], unevaluatedProperties: false },
    [{ a: 1 }],
    [{ a: 2 }],
  ],
  [{ not: { not: { properties: { a: true } } }, unevaluatedProperties: false }, [{}], [{ a: 1 }]],
  [conditional, [{ a: 1, b: 1 }, {}], [{ b: 1 }]],
])('%j matches what 2020-12 says', (schema, right, wrong) => {
  expectOnly(right, wrong, (value) => matches(schema, value));
});

/** Schemas that refer to each other in a row, from the last to the first. */
const chain = (length: number, schemaOf: (before: Fields | null) => unknown) => ({
  $ref: `#/$defs/d${length - 1}`,
  $defs: Object.fromEntries(
    Array.from({ length }, (_, at) => [`d${at}`, schemaOf(at === 0 ? null : { $ref: `#/$defs/d${at - 1}` })]),
  ),
});

/** Small schemas that apply many: by references, choices, properties, expressions and items. */
const doubling = (keyword: 'allOf' | 'anyOf' | 'oneOf') =>
  chain(41, (before) =>
    before === null ? { type: keyword === 'allOf' ? 'object' : 'string' } : { [keyword]: [before, before] },
  );

const inside = (keyword: string) =>
  chain(31, (before) => ({ allOf: [{ [keyword]: before ?? true }, { [keyword]: before ?? true }] }));

const manyItems = Array.from({ length: 1_900 }, (_, n) => n);
const nested = (depth: number): JsonValue => (depth === 0 ? {} : { a: nested(depth - 1), b: [nested(0)] });

test.each<[string, Fields, JsonValue]>([
  ['allOf', doubling('allOf'), {}],
  ['anyOf', doubling('anyOf'), {}],
  ['oneOf', doubling('oneOf'), {}],
  ['not', inside('not'), {}],
  ['if', inside('if'), {}],
  ['additionalProperties', inside('additionalProperties'), nested(30)],
  ['propertyNames', inside('propertyNames'), { a: 1, b: 2 }],
  ['unevaluatedProperties', inside('unevaluatedProperties'), nested(30)],
  ['items', { items: { anyOf: Array.from({ length: 3_000 }, () => ({ const: 'x' })) } }, manyItems],
  [
    'patternProperties',
    {
      patternProperties: Object.fromEntries(
        Array.from({ length: 1_000 }, (_, at) => [`x{${at + 1}}$`, true]),
      ),
    },
    Object.fromEntries(manyItems.map((n) => [`x${n}`, n])),
  ],
  ['pattern', { items: { pattern: '(a*)*(b*)*(c|d|e){500}$' } }, manyItems.map(() => 'ab'.repeat(15))],
])('the work of %s ends with a verdict or with the budget, in little time', (_, schema, value) => {
  const before = process.threadCpuUsage();
  try {
    matches(schema, value);
  } catch (error) {
    expect(error).toBeInstanceOf(TooMuchWorkError);
  }
  const { user, system } = process.threadCpuUsage(before);
  // Of processor time, on any machine; without the budget it takes from seconds to years.
  expect((user + system) / 1_000).toBeLessThan(1_500);
});

test('a schema and its references are at most 200 schemas deep', () => {
  const faults = checkGrader({ json: { schema: chain(1_000, (before) => before ?? true) } }, ['expect', 0]);
  expect(faults.map(({ message }) => message)).toEqual([
    '`schema` must be at most 200 schemas deep, references included.',
  ]);
});

const longUri = `http://a.de/${'%41a/'.repeat(45_000)}`;
/** Comparing their names would take minutes. */
const manyGroups = Array.from({ length: 15_000 }, (_, at) => `(?<g${at}>x)`).join('');

test.each<[string, readonly string[], readonly string[]]>([
  [
    'date-time',
    ['2024-02-29t10:00:00-00:30'],
    ['2024-02-30T10:00:00Z', '2024-02-29T10:00:00', '2024-02-29T10:00:00Z[Europe/Paris]'],
  ],
  ['url', ['https://example.com/a?b=c', 'http://1.2.3.4:80'], ['example.com', 'javascript:x', 'http://a b']],
  ['hostname', ['example.com', 'localhost.'], ['-a', 'a_b', '', 'a..b']],
  ['regex', ['^a+$'], ['(a', manyGroups]],
  ['uri', ['urn:x', longUri], ['/x', `${longUri} `, `${longUri}%4`]],
  ['uri-reference', ['/x', longUri.slice(5)], ['a b', `${longUri.slice(5)}"`]],
  ['uuid', ['123e4567-e89b-12d3-a456-426614174000', 'urn:uuid:123e4567-e89b-12d3-a456-426614174000'], ['1']],
])('%s accepts only texts of its form', (format, right, wrong) => {
  expectOnly(right, wrong, (text) => matches({ format }, text));
});

test('what draft-07 wrote otherwise keeps its meaning', () => {
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    definitions: { word: { type: 'string' } },
    items: [{ $ref: '#/definitions/word' }],
    additionalItems: false,
    dependencies: { a: ['b'], c: { required: ['d'] } },
  };
  expect(
    [['x'], ['x', 1], [1], { a: 1 }, { a: 1, b: 2 }, { c: 1 }].map((value) => matches(schema, value)),
  ).toEqual([true, false, false, false, true, false]);
  const referring = { definitions: { word: { type: 'string' } }, $ref: '#/definitions/word', maxLength: 2 };
  const old = { $schema: schema.$schema, ...referring };
  expect([matches(old, 'long'), matches(old, 5), matches(referring, 'long')]).toEqual([true, false, false]);
});

test('numbers are compared as decimals, whatever JavaScript makes of them', () => {
  const big = (digits: string) => ({ $number: digits });
  const table: readonly [Fields, readonly string[], readonly string[]][] = [
    [{ type: 'integer' }, ['9007199254740993', '5.0', '1e400'], ['9007199254740993.5', '"5"', '{}']],
    [{ type: 'object' }, ['{}'], ['9007199254740993']],
    [{ const: big('9007199254740993') }, ['9007199254740993', '9007199254740993.0'], ['9007199254740992']],
    [{ enum: [0.1] }, ['0.1', '0.10'], ['0.10000000000000001']],
    [
      { uniqueItems: true },
      ['[9007199254740993,9007199254740992]'],
      ['[9007199254740993,9007199254740993.0]'],
    ],
    [{ maximum: 9007199254740992 }, ['9007199254740992'], ['9007199254740993', '1e999']],
    [{ exclusiveMinimum: 0.1 }, ['0.10000000000000001'], ['0.1']],
    [{ multipleOf: 10 }, ['90071992547409930'], ['90071992547409931']],
    [{ multipleOf: 0.01 }, ['19.99', '12345678901234567.89'], ['0.075', '12345678901234567.895']],
    [{ format: 'int64' }, ['9223372036854775807', '-9223372036854775808'], ['9223372036854775808', '1.5']],
    [{ format: 'int32' }, ['2147483647', '"x"'], ['2147483648']],
  ];
  for (const [schema, right, wrong] of table)
    expectOnly(right, wrong, (text) => matches(schema, parseExactJson(text) as JsonValue));
});
