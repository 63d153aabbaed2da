/** The grader of a JSON reply. */
import { type Static, Type } from 'typebox';
import { isSameNumber, isWithin } from '../decimal.ts';
import {
  decimalIn,
  decimalOf,
  type Fields,
  inNfc,
  isFields,
  isSameValue,
  Numeric,
  textOf,
  writeExactJson,
} from '../exact-json.ts';
import { findNumbers } from '../find-numbers.ts';
import { hasText } from '../find-text.ts';
import { prepareSchema, SchemaFault } from '../json-schema/prepare-schema.ts';
import { hiddenIn, plainForm, quoteText } from '../text-forms.ts';
import type { WorkBudget } from '../work-budget.ts';
import { grader, unclear, type Verdict, verdict } from './grader.ts';
import { number } from './numbers.ts';
import { type JsonValue, jsonOf, jsonsIn } from './read-json.ts';

const maxSchemaCharacters = 50_000;
/** Steps of a number in a text. */
const numberSteps = 1_000;

/** Why a schema is refused, or null. */
export function faultOfSchema(
  schema: Fields,
  work: WorkBudget,
  warn: (message: string) => void,
): string | null {
  if (JSON.stringify(schema).length > maxSchemaCharacters)
    return `must have at most ${maxSchemaCharacters} characters`;
  try {
    prepareSchema(schema, work, warn);
    return null;
  } catch (error) {
    if (error instanceof SchemaFault) return error.message;
    throw error;
  }
}

const Scalar = Type.Union([Type.String({ maxLength: 20_000 }), Numeric, Type.Boolean(), Type.Null()]);
const pointer = Type.String({
  pattern: '^(?:/.*)?$',
  maxLength: 500,
  'x-rule': 'be a JSON Pointer, such as /items/0/name',
});

const Rule = Type.Object(
  {
    schema: Type.Optional(Type.Object({})),
    anywhere: Type.Optional(Type.Literal(true)),
    at: Type.Optional(pointer),
    equals: Type.Optional(Type.Unknown()),
    contains: Type.Optional(Scalar),
    number: Type.Optional(Numeric),
    within: Type.Optional(Type.Number({ minimum: 0 })),
  },
  { additionalProperties: false },
);
type Rule = Static<typeof Rule>;

/**
 * Passes if the reply is JSON, or one fenced block of it (`anywhere: true`: or has some in its text), that matches
 * `schema`, and the value `at` a JSON Pointer `equals`, `contains` or is a `number` `within`.
 */
export const json = grader({
  name: 'json',
  stepsPerCharacter: 10,
  fields: { json: Rule },
  check(spec, { fault, path, work, warn }) {
    const { schema, at, equals, contains, number: wanted, within } = spec.json;
    const rules = [equals, contains, wanted].filter((rule) => rule !== undefined).length;
    if (at !== undefined && rules !== 1)
      return fault('`at` needs one of `equals`, `contains` and `number`.', 'json');
    if (at === undefined && rules > 0)
      return fault(
        '`equals`, `contains` and `number` need `at`, such as `at: /total`; `at: ""` is the whole document.',
        'json',
      );
    if (typeof contains === 'string' && plainForm(contains) === '')
      return fault('`contains` is blank, so every text would pass.', 'json', 'contains');
    if (wanted !== undefined && decimalIn(wanted) === null)
      return fault('`number` must be a finite number.', 'json', 'number');
    if (within !== undefined && wanted === undefined) return fault('`within` needs `number`.', 'json');
    const where = [...path, 'json', 'schema'];
    const problem = isFields(schema)
      ? faultOfSchema(schema, work, (message) => warn(where, `\`schema\` ${message}.`))
      : null;
    return problem === null ? [] : fault(`\`schema\` ${problem}.`, 'json', 'schema');
  },
  prepare(spec, _inner, prepareWork) {
    prepareWork.spend(JSON.stringify(spec.json).length);
    const rule = inNfc(spec.json) as Rule; // It has the same fields.
    const { schema, at, anywhere = false } = rule;
    const validate = isFields(schema) ? prepareSchema(schema, prepareWork) : null;
    const expected = [
      validate === null ? 'JSON' : 'JSON that matches the schema',
      ...(at === undefined ? [] : [describeRule(rule)]),
    ].join(', ');
    const grade = (value: JsonValue, work: WorkBudget): Verdict => {
      const failure = validate === null ? null : validate(value, work);
      if (failure !== null) return verdict(false, expected, failure);
      return at === undefined ? verdict(true, expected, 'it') : gradeValue(value, rule, expected, work);
    };
    return ({ text }, { work }) => {
      const read = jsonOf(text);
      const whole =
        'value' in read
          ? grade(read.value, work)
          : 'unclear' in read
            ? unclear(expected, read.unclear)
            : verdict(false, expected, read.reason);
      if (whole.share === 1 || (!anywhere && !('reason' in read))) return whole;
      work.spend(text.length * json.stepsPerCharacter);
      const { values, around, unclear: left } = jsonsIn(text, work);
      if (!anywhere)
        return values.length > 1 && /^[\s,]*$/.test(around)
          ? unclear(expected, `${values.length} JSON texts`)
          : whole;
      const inside = values.map((value) => grade(value, work));
      const found = inside.find(({ share }) => share === 1);
      return found ?? (left === null ? (inside[0] ?? whole) : unclear(expected, left));
    };
  },
});

function describeRule(rule: Rule): string {
  const place = rule.at === '' ? 'the document' : rule.at;
  if (rule.number !== undefined) return `${place} ${writeExactJson(rule.number)} within ${rule.within ?? 0}`;
  if (rule.contains !== undefined) return `${place} with ${quoteText(textOf(rule.contains))} in it`;
  return `${place} ${quoteText(writeExactJson(rule.equals))}`;
}

function gradeValue(document: JsonValue, rule: Rule, expected: string, work: WorkBudget): Verdict {
  const value = valueAt(document, rule.at ?? '');
  if (value === undefined) return verdict(false, expected, `nothing at ${rule.at}`);
  const found = quoteText(writeExactJson(value));
  if (rule.number !== undefined) {
    const decimal = decimalIn(value);
    const close =
      decimal !== null && isWithin(decimal, decimalOf(rule.number), { within: decimalOf(rule.within ?? 0) });
    return verdict(close, expected, found);
  }
  if (rule.contains !== undefined) {
    return verdict(holds(value, rule.contains, work), expected, `${found}${hiddenIn(found)}`);
  }
  return verdict(isSameValue(value, rule.equals), expected, `${found}${hiddenIn(found)}`);
}

/** A list has the item, or a text has the part. A number is part of a text only where it is not part of another. */
function holds(value: JsonValue, part: Static<typeof Scalar>, work: WorkBudget): boolean {
  if (Array.isArray(value)) return value.some((item) => isSameValue(item, part));
  if (typeof value !== 'string') return false;
  if (typeof part === 'string') return hasText(plainForm(value), plainForm(part), work);
  const decimal = decimalIn(part);
  if (decimal === null) return false;
  work.spend(value.length * number.stepsPerCharacter);
  const numbers = findNumbers(value);
  work.spend(numbers.count * numberSteps);
  for (let at = 0; at < numbers.count; at += 1) {
    const found = numbers.read(at)?.value;
    if (found != null && isSameNumber(found, decimal)) return true;
  }
  return false;
}

function valueAt(document: JsonValue, at: string): JsonValue | undefined {
  let value: JsonValue | undefined = document;
  for (const part of at.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, JsonValue>)[key]; // `hasOwn` has just shown that it exists.
  }
  return value;
}
