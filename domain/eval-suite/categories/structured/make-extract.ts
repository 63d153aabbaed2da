/** Turn facts in prose into JSON under a schema. Graded for form, for the schema and for every value. */
import { graderSpec } from '../../graders/grader.ts';
import { bareJson } from './graders/bare-json.ts';
import { jsonEquals } from './graders/json-equals.ts';
import { jsonSchema } from './graders/json-schema.ts';
import type { CaseDraft, Difficulty } from '../../eval-case.ts';
import type { JsonValue } from '../../graders/read-json.ts';
import { inventNames, inventNoun } from '../../language/invented-word.ts';
import { byDifficulty } from '../../language/spread-difficulties.ts';
import type { Random } from '../../random.ts';
import { makeRecordFields } from './record-fields.ts';
import { bareJsonRequest, showJson } from './json-request.ts';

export function makeExtract(random: Random, difficulty: Difficulty): CaseDraft {
  const fields = random.sample(makeRecordFields(random), byDifficulty(difficulty, 4, 7, 6));
  const names = inventNames(random, byDifficulty(difficulty, 1, 1, 3));
  const kind = inventNoun(random);
  const sentences: string[] = [];
  const records = names.map((name): { [key: string]: JsonValue } => {
    const facts = fields.map((field) => ({ key: field.key, ...field.makeValue(random, name) }));
    sentences.push(...random.shuffle(facts.map((fact) => fact.sentence)));
    return { name, ...Object.fromEntries(facts.map((fact) => [fact.key, fact.value])) };
  });
  const recordSchema = {
    type: 'object',
    properties: {
      name: { type: 'string' },
      ...Object.fromEntries(fields.map((field) => [field.key, field.schema])),
    },
    required: ['name', ...fields.map((field) => field.key)],
    additionalProperties: false,
  };
  const many = records.length > 1;
  const schema = many
    ? { type: 'array', items: recordSchema, minItems: records.length, maxItems: records.length }
    : recordSchema;
  const expected: JsonValue = many ? records : (records[0] ?? null);
  const notes = many ? random.shuffle(sentences) : sentences;
  const order = many ? ` Write the records in this order: ${names.join(', ')}.` : '';
  const opening = random.pick([
    `These notes describe ${many ? `the ${kind}s ${names.join(', ')}` : `the ${kind} ${names.join('')}`}.`,
    `Below are notes from a register of ${kind}s.`,
  ]);
  return {
    kind: 'json-extract',
    difficulty,
    prompt: `${opening} Turn them into JSON that is valid against the schema, using exactly the stated facts.${order}\n\nNotes: ${notes.join(' ')}\n\nSchema:\n${showJson(schema)}\n\n${bareJsonRequest}`,
    graders: [
      graderSpec(bareJson, { root: many ? 'array' : 'object' }, 1),
      graderSpec(jsonSchema, { schema }, 1),
      graderSpec(jsonEquals, { expected }, 2),
    ],
    scoring: 'weighted',
    expected: JSON.stringify(expected),
  };
}
