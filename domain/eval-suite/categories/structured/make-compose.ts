/** Invent JSON that satisfies a schema, and a sum that a schema cannot require. */
import { graderSpec } from '../../graders/grader.ts';
import { bareJson } from './graders/bare-json.ts';
import { jsonSchema } from './graders/json-schema.ts';
import { jsonSum } from './graders/json-sum.ts';
import type { CaseDraft, Difficulty } from '../../eval-case.ts';
import type { GraderSpec } from '../../graders/grader.ts';
import type { JsonValue } from '../../graders/read-json.ts';
import { inventWords } from '../../language/invented-word.ts';
import { byDifficulty } from '../../language/spread-difficulties.ts';
import type { Random } from '../../random.ts';
import { bareJsonRequest, showJson } from './json-request.ts';

interface Part {
  readonly schema: { readonly [key: string]: JsonValue };
  readonly example: JsonValue;
}

export function makeCompose(random: Random, difficulty: Difficulty): CaseDraft {
  const makers = random.sample(
    [boundedInteger, codeString, lengthString, choice, wordList, nested],
    byDifficulty(difficulty, 3, 4, 6),
  );
  const keys = inventWords(random, makers.length + 1, 2);
  const [sumKey = 'sums', ...partKeys] = keys;
  const parts = makers.map((make) => make(random));
  const sum = sumList(random, byDifficulty(difficulty, 3, 5, 8));
  const schema = {
    type: 'object',
    properties: {
      ...Object.fromEntries(parts.map((part, position) => [partKeys[position] ?? '', part.schema])),
      [sumKey]: sum.schema,
    },
    required: keys,
    additionalProperties: false,
  };
  const example = {
    ...Object.fromEntries(parts.map((part, position) => [partKeys[position] ?? '', part.example])),
    [sumKey]: sum.example,
  };
  const opening = random.pick([
    'Write any JSON document that is valid against the schema below.',
    'Invent one JSON document that the following schema accepts.',
  ]);
  const graders: GraderSpec[] = [
    graderSpec(bareJson, { root: 'object' }, 1),
    graderSpec(jsonSchema, { schema }, 2),
    graderSpec(jsonSum, { property: sumKey, expected: sum.total }, 1),
  ];
  return {
    kind: 'json-compose',
    difficulty,
    prompt: `${opening} In addition, the numbers in "${sumKey}" must add up to exactly ${sum.total}.\n\nSchema:\n${showJson(schema)}\n\n${bareJsonRequest}`,
    graders,
    scoring: 'weighted',
    expected: JSON.stringify(example),
  };
}

function sumList(random: Random, count: number): Part & { readonly total: number } {
  const example = random.sample(
    Array.from({ length: 90 }, (_, number) => number + 1),
    count,
  );
  const total = example.reduce((sum, number) => sum + number, 0);
  const items = { type: 'integer', minimum: 1, maximum: 90 };
  return {
    schema: { type: 'array', items, minItems: count, maxItems: count, uniqueItems: true },
    example,
    total,
  };
}

function boundedInteger(random: Random): Part {
  const minimum = random.int(100, 9_000);
  const multipleOf = random.int(3, 19);
  const maximum = minimum + multipleOf * random.int(2, 9);
  const example = Math.ceil(minimum / multipleOf) * multipleOf;
  return { schema: { type: 'integer', minimum, maximum, multipleOf }, example };
}

function codeString(random: Random): Part {
  const letters = random.int(2, 4);
  const digits = random.int(2, 5);
  const start = random.text('BCDFGHKLMNPRSTVWXZ', 1);
  return {
    schema: { type: 'string', pattern: `^${start}[A-Z]{${letters}}_[0-9]{${digits}}$` },
    example: `${start}${random.text('ABCDEFGH', letters)}_${random.text('0123456789', digits)}`,
  };
}

function lengthString(random: Random): Part {
  const minLength = random.int(12, 30);
  const maxLength = minLength + random.int(0, 3);
  return {
    schema: { type: 'string', pattern: '^[a-z]+$', minLength, maxLength },
    example: random.text('abcdefghij', minLength),
  };
}

function choice(random: Random): Part {
  const options = inventWords(random, 4);
  return { schema: { type: 'string', enum: options }, example: random.pick(options) };
}

function wordList(random: Random): Part {
  const count = random.int(2, 5);
  const first = random.text('bdfgklmnprst', 1);
  const items = { type: 'string', pattern: `^${first}[a-z]{3,9}$` };
  const example = inventWords(random, count, 2).map((word) => `${first}${word.slice(0, 8)}`);
  return {
    schema: { type: 'array', items, minItems: count, maxItems: count + 1, uniqueItems: true },
    example,
  };
}

function nested(random: Random): Part {
  const [first = 'one', second = 'two'] = inventWords(random, 2, 2);
  const minimum = random.int(1, 400);
  return {
    schema: {
      type: 'object',
      properties: {
        [first]: { type: 'boolean' },
        [second]: { type: 'number', exclusiveMinimum: minimum, maximum: minimum + 1 },
      },
      required: [first, second],
      additionalProperties: false,
    },
    example: { [first]: random.chance(0.5), [second]: minimum + 0.5 },
  };
}
