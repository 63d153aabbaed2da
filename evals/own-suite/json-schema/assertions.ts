/** The keywords of JSON Schema that check a value itself. */
import { canonicalDecimal, compareDecimals, type Decimal, isInteger, isMultiple } from '../decimal.ts';
import { decimalIn, type Fields, isFields, isNumber, writeExactJson } from '../exact-json.ts';
import type { JsonValue } from '../graders/read-json.ts';
import { compileExpression } from '../linear-expression.ts';
import { TooMuchWorkError, type WorkBudget } from '../work-budget.ts';
import { formats } from './formats.ts';

/** Names and indices that lead to a value, from the inside out. Written out only for a failure. */
type Place = { readonly around: Place; readonly key: string | number } | null;

export interface Failure {
  readonly place: Place;
  readonly message: string;
}

/** One application of a schema to a value. */
export interface Visit {
  readonly place: Place;
  readonly work: WorkBudget;
  /** The names or indices that were evaluated, for `unevaluatedProperties` and `unevaluatedItems`. */
  readonly evaluated: Set<string | number>;
}

export type Check = (value: JsonValue, visit: Visit) => Failure | null;

/** A schema that is being prepared, for its keywords. */
export interface Here {
  readonly fields: Fields;
  readonly work: WorkBudget;
  /** Takes what is wrong with a keyword that is ignored, as the end of a sentence about the schema. */
  readonly warn: (problem: string) => void;
  /** @returns the fault of a keyword that breaks a rule */
  readonly fault: (keyword: string, rule: string) => Error;
  /** Prepares `schema`, which stands at `keys` from here. */
  readonly sub: (schema: unknown, ...keys: readonly (string | number)[]) => Check;
  /** Prepares the schema to which a reference such as `#/$defs/name` leads. */
  readonly refer: (target: unknown) => Check;
  readonly isRoot: boolean;
  /** Whether the document is in draft-07 or older. */
  readonly isOld: boolean;
}

/** @returns null if the keyword has nothing to check */
export type Keyword = (argument: unknown, here: Here) => Check | null;

export function fail({ place }: Visit, message: string) {
  return { place, message };
}

export function isObject(value: JsonValue): value is { readonly [key: string]: JsonValue } {
  return isFields(value);
}

export function namesOf(argument: unknown, keyword: string, here: Here): readonly string[] {
  if (!Array.isArray(argument) || !argument.every((name) => typeof name === 'string'))
    throw here.fault(keyword, 'be a list of names');
  here.work.spend(argument.length);
  return argument;
}

export function countOf(argument: unknown, keyword: string, here: Here): number {
  if (typeof argument === 'number' && Number.isInteger(argument) && argument >= 0) return argument;
  throw here.fault(keyword, 'be an integer of at least 0');
}

/** @throws SchemaFault if it is not in RE2 */
export function expressionOf(source: string, keyword: string, here: Here) {
  try {
    return compileExpression(source, here.work);
  } catch (cause) {
    if (!(cause instanceof Error) || cause instanceof TooMuchWorkError) throw cause;
    throw here.fault(keyword, `be an RE2 expression: ${cause.message.slice(0, 200)}`);
  }
}

const types: Readonly<Record<string, (value: JsonValue) => boolean>> = {
  null: (value) => value === null,
  boolean: (value) => typeof value === 'boolean',
  number: isNumber,
  // `5.0` is an integer too.
  integer: (value) => {
    const decimal = decimalIn(value);
    return decimal !== null && isInteger(decimal);
  },
  string: (value) => typeof value === 'string',
  array: Array.isArray,
  object: isObject,
};

const type: Keyword = (argument, here) => {
  const names: readonly unknown[] = Array.isArray(argument) ? argument : [argument];
  const known = names.filter((name) => typeof name === 'string' && Object.hasOwn(types, name));
  if (known.length !== names.length || names.length === 0)
    throw here.fault('type', `be one or several of ${Object.keys(types).join(', ')}`);
  return (value, visit) =>
    known.some((name) => types[String(name)]?.(value)) ? null : fail(visit, `must be ${known.join(' or ')}`);
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

function equalsOneOf(allowed: readonly unknown[], message: string, { work }: Here): Check {
  const keys = new Set(allowed.map((each) => keyOf(each, work)));
  return (value, visit) => (keys.has(keyOf(value, visit.work)) ? null : fail(visit, message));
}

/** A check of numbers. Values of other types pass, as with all keywords below. */
function ofNumber(
  keyword: string,
  holds: (value: Decimal, limit: Decimal) => boolean,
  word: string,
): readonly [string, Keyword] {
  return [
    keyword,
    (argument, here) => {
      const limit = decimalIn(argument);
      if (limit === null || (keyword === 'multipleOf' && limit.digits <= 0n))
        throw here.fault(keyword, keyword === 'multipleOf' ? 'be a number above 0' : 'be a number');
      return (value, visit) => {
        if (!isNumber(value)) return null;
        visit.work.spend(decimalSteps);
        const decimal = decimalIn(value);
        if (decimal !== null && holds(decimal, limit)) return null;
        return fail(visit, `must be ${word} ${writeExactJson(argument)}`);
      };
    },
  ];
}

type SizeOf = (value: JsonValue, work: WorkBudget) => number | null;

const charactersOf: SizeOf = (value, work) => {
  if (typeof value !== 'string') return null;
  work.spend(value.length);
  return Array.from(value).length;
};
const itemsOf: SizeOf = (value) => (Array.isArray(value) ? value.length : null);
const propertiesOf: SizeOf = (value, work) => {
  if (!isObject(value)) return null;
  const { length } = Object.keys(value);
  work.spend(length);
  return length;
};

function ofSize(keyword: string, sizeOf: SizeOf, unit: string): readonly [string, Keyword] {
  const isMost = keyword.startsWith('max');
  return [
    keyword,
    (argument, here) => {
      const limit = countOf(argument, keyword, here);
      return (value, visit) => {
        const size = sizeOf(value, visit.work);
        if (size === null || (isMost ? size <= limit : size >= limit)) return null;
        return fail(visit, `must have at ${isMost ? 'most' : 'least'} ${limit} ${unit}`);
      };
    },
  ];
}

const pattern: Keyword = (argument, here) => {
  if (typeof argument !== 'string') throw here.fault('pattern', 'be a string');
  const expression = expressionOf(argument, 'pattern', here);
  return (value, visit) =>
    typeof value !== 'string' || expression.find(value, visit.work) !== null
      ? null
      : fail(visit, `must match pattern ${JSON.stringify(argument.slice(0, 100))}`);
};

const format: Keyword = (argument, here) => {
  if (typeof argument !== 'string') throw here.fault('format', 'be a string');
  const holds = Object.hasOwn(formats, argument) ? formats[argument] : undefined;
  if (holds === undefined) {
    here.warn(`has the format "${argument.slice(0, 100)}" at HERE, which is not known and checks nothing`);
    return null;
  }
  return (value, visit) => {
    visit.work.spend(typeof value === 'string' ? value.length : 1);
    return holds(value) ? null : fail(visit, `must match format "${argument}"`);
  };
};

const uniqueItems: Keyword = (argument, here) => {
  if (typeof argument !== 'boolean') throw here.fault('uniqueItems', 'be true or false');
  if (!argument) return null;
  return (value, visit) => {
    if (!Array.isArray(value)) return null;
    const seen = new Set(value.map((item) => keyOf(item, visit.work)));
    return seen.size === value.length ? null : fail(visit, 'must not have the same item twice');
  };
};

export function requireAll(names: readonly string[]): Check {
  return (value, visit) => {
    if (!isObject(value)) return null;
    visit.work.spend(names.length);
    const missing = names.find((name) => !Object.hasOwn(value, name));
    return missing === undefined
      ? null
      : fail(visit, `must have required property '${missing.slice(0, 80)}'`);
  };
}

export const assertions: readonly (readonly [string, Keyword])[] = [
  ['type', type],
  [
    'enum',
    (argument, here) => {
      if (!Array.isArray(argument) || argument.length === 0) throw here.fault('enum', 'be a list of values');
      return equalsOneOf(argument, 'must be equal to one of the allowed values', here);
    },
  ],
  ['const', (argument, here) => equalsOneOf([argument], 'must be equal to constant', here)],
  ofNumber('minimum', (value, limit) => compareDecimals(value, limit) >= 0, 'at least'),
  ofNumber('maximum', (value, limit) => compareDecimals(value, limit) <= 0, 'at most'),
  ofNumber('exclusiveMinimum', (value, limit) => compareDecimals(value, limit) > 0, 'above'),
  ofNumber('exclusiveMaximum', (value, limit) => compareDecimals(value, limit) < 0, 'below'),
  ofNumber('multipleOf', isMultiple, 'a multiple of'),
  ofSize('minLength', charactersOf, 'characters'),
  ofSize('maxLength', charactersOf, 'characters'),
  ofSize('minItems', itemsOf, 'items'),
  ofSize('maxItems', itemsOf, 'items'),
  ofSize('minProperties', propertiesOf, 'properties'),
  ofSize('maxProperties', propertiesOf, 'properties'),
  ['pattern', pattern],
  ['format', format],
  ['uniqueItems', uniqueItems],
  ['required', (argument, here) => requireAll(namesOf(argument, 'required', here))],
];
