/** The keywords that check a value itself. */
import type { JsonValue } from '#evals/own-suite/graders/read-json.ts';
import { canonicalDecimal, compareDecimals, type Decimal, isInteger, isMultiple } from '../decimal.ts';
import { decimalIn, isNumber, writeExactJson } from '../exact-json.ts';
import { compileExpression } from '../linear-expression.ts';
import type { WorkBudget } from '../work-budget.ts';
import { formats } from './formats.ts';
import { type Apply, type Builder, fail, isFields, isObject, type Keyword, SchemaFault } from './schema.ts';

export function unusable(build: Builder, keyword: string, rule: string): SchemaFault {
  return new SchemaFault(`must be a JSON Schema: ${build.pointer}/${keyword} must ${rule}`);
}

const types = {
  null: (value: JsonValue) => value === null,
  boolean: (value: JsonValue) => typeof value === 'boolean',
  number: isNumber,
  integer: (value: JsonValue) => isIntegerIn(value),
  string: (value: JsonValue) => typeof value === 'string',
  array: (value: JsonValue) => Array.isArray(value),
  object: isObject,
} satisfies Record<string, (value: JsonValue) => boolean>;

/** `5.0` is an integer too. */
function isIntegerIn(value: JsonValue): boolean {
  const decimal = decimalIn(value);
  return decimal !== null && isInteger(decimal);
}

const type: Keyword = (argument, _, build) => {
  const names: readonly unknown[] = Array.isArray(argument) ? argument : [argument];
  const known = names.flatMap((name) =>
    (Object.keys(types) as (keyof typeof types)[]).filter((each) => each === name),
  ); // The keys of the object are those of its type.
  if (known.length !== names.length || names.length === 0)
    throw unusable(build, 'type', `be one or several of ${Object.keys(types).join(', ')}`);
  return (value, visit) =>
    known.some((name) => types[name](value)) ? null : fail(visit, `must be ${known.join(' or ')}`);
};

/** Steps of a number that is read as a decimal. */
const decimalSteps = 50;

/** A text that two values share if they are equal, whatever the order of their properties. */
function keyOf(value: unknown, work: WorkBudget): string {
  work.spend(typeof value === 'string' ? 1 + value.length : 1);
  const decimal = decimalIn(value);
  if (decimal !== null) {
    work.spend(decimalSteps);
    return canonicalDecimal(decimal);
  }
  if (Array.isArray(value)) return `[${value.map((item) => keyOf(item, work)).join(',')}]`;
  if (!isFields(value)) return JSON.stringify(value) ?? '';
  const names = Object.keys(value).toSorted();
  work.spend(names.length * 10);
  return `{${names.map((name) => `${JSON.stringify(name)}:${keyOf(value[name], work)}`).join(',')}}`;
}

const oneOfValues = (allowed: readonly unknown[], message: string, build: Builder): Apply => {
  const keys = new Set(allowed.map((each) => keyOf(each, build.work)));
  return (value, visit) => (keys.has(keyOf(value, visit.work)) ? null : fail(visit, message));
};

/** A check of numbers against the argument. Values of other types pass, as with all keywords below. */
function ofNumber(
  keyword: string,
  holds: (value: Decimal, limit: Decimal) => boolean,
  word: string,
): Keyword {
  return (argument, _, build) => {
    const limit = decimalIn(argument);
    if (limit === null) throw unusable(build, keyword, 'be a number');
    return (value, visit) => {
      if (!isNumber(value)) return null;
      visit.work.spend(decimalSteps);
      const decimal = decimalIn(value);
      return decimal !== null && holds(decimal, limit)
        ? null
        : fail(visit, `must be ${word} ${writeExactJson(argument)}`);
    };
  };
}

/** A check of a size against the argument. */
function ofSize(
  keyword: string,
  sizeOf: (value: JsonValue, work: WorkBudget) => number | null,
  isMost: boolean,
  unit: string,
): Keyword {
  return (argument, _, build) => {
    if (typeof argument !== 'number' || !Number.isInteger(argument) || argument < 0)
      throw unusable(build, keyword, 'be an integer of at least 0');
    return (value, visit) => {
      const size = sizeOf(value, visit.work);
      if (size === null || (isMost ? size <= argument : size >= argument)) return null;
      return fail(visit, `must have at ${isMost ? 'most' : 'least'} ${argument} ${unit}`);
    };
  };
}

function charactersOf(value: JsonValue, work: WorkBudget): number | null {
  if (typeof value !== 'string') return null;
  work.spend(value.length);
  return Array.from(value).length;
}

function itemsOf(value: JsonValue): number | null {
  return Array.isArray(value) ? value.length : null;
}

function propertiesOf(value: JsonValue, work: WorkBudget): number | null {
  if (!isObject(value)) return null;
  const { length } = Object.keys(value);
  work.spend(length);
  return length;
}

export function namesOf(argument: unknown, keyword: string, build: Builder): readonly string[] {
  if (!Array.isArray(argument) || !argument.every((name) => typeof name === 'string'))
    throw unusable(build, keyword, 'be a list of names');
  build.work.spend(argument.length);
  return argument;
}

/** The first of `names` that is missing. */
function requireAll(names: readonly string[]): Apply {
  return (value, visit) => {
    if (!isObject(value)) return null;
    visit.work.spend(names.length);
    const missing = names.find((name) => !Object.hasOwn(value, name));
    return missing === undefined
      ? null
      : fail(visit, `must have required property '${missing.slice(0, 80)}'`);
  };
}

const pattern: Keyword = (argument, _, build) => {
  if (typeof argument !== 'string') throw unusable(build, 'pattern', 'be a string');
  const expression = expressionOf(argument, 'pattern', build);
  return (value, visit) =>
    typeof value !== 'string' || expression.find(value, visit.work) !== null
      ? null
      : fail(visit, `must match pattern ${JSON.stringify(argument.slice(0, 100))}`);
};

/** @throws SchemaFault if it is not in RE2 */
export function expressionOf(source: string, keyword: string, build: Builder) {
  try {
    return compileExpression(source, build.work);
  } catch (cause) {
    if (!(cause instanceof Error) || cause.name === 'TooMuchWorkError') throw cause;
    throw unusable(build, keyword, `be an RE2 expression: ${cause.message.slice(0, 200)}`);
  }
}

const format: Keyword = (argument, _, build) => {
  const check =
    typeof argument === 'string' && Object.hasOwn(formats, argument) ? formats[argument] : undefined;
  if (typeof argument !== 'string') throw unusable(build, 'format', 'be a string');
  if (check === undefined) {
    build.warn(
      `has the format "${argument.slice(0, 100)}" at ${build.pointer}, which is not known and checks nothing`,
    );
    return null;
  }
  return (value, visit) => {
    visit.work.spend(typeof value === 'string' ? value.length : 1);
    return check(value) ? null : fail(visit, `must match format "${argument}"`);
  };
};

const uniqueItems: Keyword = (argument, _, build) => {
  if (typeof argument !== 'boolean') throw unusable(build, 'uniqueItems', 'be true or false');
  if (!argument) return null;
  return (value, visit) => {
    if (!Array.isArray(value)) return null;
    const seen = new Set(value.map((item) => keyOf(item, visit.work)));
    return seen.size === value.length ? null : fail(visit, 'must not have the same item twice');
  };
};

const dependentRequired: Keyword = (argument, _, build) => {
  if (!isFields(argument)) throw unusable(build, 'dependentRequired', 'be an object of lists of names');
  const rules = Object.entries(argument).map(
    ([name, needed]) => [name, requireAll(namesOf(needed, `dependentRequired/${name}`, build))] as const,
  );
  return (value, visit) => {
    if (!isObject(value)) return null;
    visit.work.spend(rules.length);
    for (const [name, check] of rules) {
      const failure = Object.hasOwn(value, name) ? check(value, visit) : null;
      if (failure !== null) return failure;
    }
    return null;
  };
};

export const assertions = {
  type,
  enum(argument, _, build) {
    if (!Array.isArray(argument) || argument.length === 0)
      throw unusable(build, 'enum', 'be a list of values');
    return oneOfValues(argument, 'must be equal to one of the allowed values', build);
  },
  const: (argument, _, build) => oneOfValues([argument], 'must be equal to constant', build),
  minimum: ofNumber('minimum', (value, limit) => compareDecimals(value, limit) >= 0, 'at least'),
  maximum: ofNumber('maximum', (value, limit) => compareDecimals(value, limit) <= 0, 'at most'),
  exclusiveMinimum: ofNumber(
    'exclusiveMinimum',
    (value, limit) => compareDecimals(value, limit) > 0,
    'above',
  ),
  exclusiveMaximum: ofNumber(
    'exclusiveMaximum',
    (value, limit) => compareDecimals(value, limit) < 0,
    'below',
  ),
  multipleOf(argument, siblings, build) {
    if ((decimalIn(argument)?.digits ?? 0n) <= 0n) throw unusable(build, 'multipleOf', 'be a number above 0');
    return ofNumber('multipleOf', isMultiple, 'a multiple of')(argument, siblings, build);
  },
  minLength: ofSize('minLength', charactersOf, false, 'characters'),
  maxLength: ofSize('maxLength', charactersOf, true, 'characters'),
  pattern,
  format,
  minItems: ofSize('minItems', itemsOf, false, 'items'),
  maxItems: ofSize('maxItems', itemsOf, true, 'items'),
  uniqueItems,
  minProperties: ofSize('minProperties', propertiesOf, false, 'properties'),
  maxProperties: ofSize('maxProperties', propertiesOf, true, 'properties'),
  required: (argument, _, build) => requireAll(namesOf(argument, 'required', build)),
  dependentRequired,
} as const satisfies Record<string, Keyword>;
