/**
 * JSON Schema (2020-12, and what draft-07 wrote in another way) as an interpreter that counts its work. A compiled
 * validator cannot be stopped, 40 references that double apply 2^40 subschemas to one value, and numbers are compared
 * as decimals.
 */
import { type Fields, fieldsOf, inNfc, isFields } from '../exact-json.ts';
import { normalizeText } from '#runtime/normalize-text.ts';
import type { JsonValue } from '../graders/read-json.ts';
import type { WorkBudget } from '../work-budget.ts';
import { type Check, type Failure, type Here } from './assertions.ts';
import { keywords } from './keywords.ts';

/** A schema that cannot be used, with the rule that it breaks. */
export class SchemaFault extends Error {
  override readonly name: string = 'SchemaFault';
}

/** Schemas inside each other, references included. */
const maxSchemaDepth = 200;
/** Steps of preparing and of applying a keyword. */
const keywordSteps = 10;

/** Keywords that say something to people, stand in for other documents, or belong to another keyword. */
const ignored: ReadonlySet<string> = new Set(
  (
    '$schema $comment $anchor $dynamicAnchor $recursiveAnchor $vocabulary title description default deprecated ' +
    'examples readOnly writeOnly contentEncoding contentMediaType contentSchema then else minContains maxContains ' +
    'additionalItems'
  ).split(' '),
);

interface Prepared {
  readonly check: Check;
  /** The schemas inside, references included. */
  readonly depth: number;
}

/**
 * Prepares a schema for many values, whose names and texts are in NFC, and refuses one that cannot be used.
 *
 * @param warn takes a sentence for what JSON Schema asks validators to ignore, without its point
 * @returns what is wrong with a value; null if it matches
 * @throws SchemaFault, TooMuchWorkError
 */
export function prepareSchema(
  given: Fields,
  work: WorkBudget,
  warn: (message: string) => void = () => {},
): (value: JsonValue, work: WorkBudget) => string | null {
  const root = fieldsOf(inNfc(given));
  /** By JSON Pointer. Null while it is being prepared: a reference to it would be a loop. */
  const known = new Map<string, Prepared | null>();
  const prepare = (schema: unknown, pointer: string, depth: number): Prepared => {
    const ready = known.get(pointer);
    if (depth + (ready?.depth ?? 0) > maxSchemaDepth)
      throw new SchemaFault(`must be at most ${maxSchemaDepth} schemas deep, references included`);
    if (ready != null) return ready;
    known.set(pointer, null);
    let inside = 0;
    const follow = (value: unknown, at: string): Check => {
      const prepared = prepare(value, at, depth + 1);
      inside = Math.max(inside, prepared.depth + 1);
      return prepared.check;
    };
    const check = checkOf(schema, pointer, {
      work,
      warn: (problem) => warn(problem.replace('HERE', pointer)),
      fault: (keyword, rule) => new SchemaFault(`must be a JSON Schema: ${pointer}/${keyword} must ${rule}`),
      sub: (value, ...keys) => follow(value, [pointer, ...keys.map(escaped)].join('/')),
      refer(target) {
        const at = placeOf(target, pointer);
        if (known.get(at) === null) {
          throw new SchemaFault(
            pointer === at || at === '#' || pointer.startsWith(`${at}/`)
              ? `must not refer to itself, as ${quoted(target)} does`
              : 'must not have references that form a loop',
          );
        }
        return follow(find(root, at, target), at);
      },
      isRoot: pointer === '#',
      isOld: /\/draft-0\d\//.test(String(root['$schema'])),
    });
    const prepared = { check, depth: inside };
    known.set(pointer, prepared);
    return prepared;
  };
  const { check } = prepare(root, '#', 0);
  return (value, spent) => {
    const failure = check(value, { place: null, work: spent, evaluated: new Set() });
    if (failure === null) return null;
    return `${failure.place === null ? 'the document' : pointerOf(failure.place)} ${failure.message}`;
  };
}

/** All keywords of a schema as one. */
function checkOf(schema: unknown, pointer: string, here: Omit<Here, 'fields'>): Check {
  if (schema === true) return () => null;
  if (schema === false) return (_, { place }) => ({ place, message: 'must not be there' });
  if (!isFields(schema))
    throw new SchemaFault(`must be a JSON Schema: ${pointer} must be an object, true or false`);
  // Up to draft-07, a reference replaces all that stands beside it.
  const isAlone = here.isOld && Object.hasOwn(schema, '$ref');
  const own = Object.keys(schema);
  here.work.spend(own.length * keywordSteps);
  for (const name of own)
    if (!keywords.has(name) && !ignored.has(name))
      here.warn(`has ${quoted(name)} at HERE, which is no keyword of JSON Schema and checks nothing`);
  const checks = [...keywords].flatMap(([name, prepare]) =>
    Object.hasOwn(schema, name) && (!isAlone || name === '$ref')
      ? (prepare(schema[name], { ...here, fields: schema }) ?? [])
      : [],
  );
  return (value, visit) => {
    visit.work.spend(keywordSteps * (checks.length + 1));
    for (const check of checks) {
      const failure = check(value, visit);
      if (failure !== null) return failure;
    }
    return null;
  };
}

/** The JSON Pointer of a reference inside the document. Characters may be escaped, as in `#/%24defs/a`. */
function placeOf(target: unknown, pointer: string): string {
  if (typeof target !== 'string')
    throw new SchemaFault(`must be a JSON Schema: ${pointer}/$ref must be a string`);
  const place = normalizeText(decoded(target), 'NFC');
  if (!place.startsWith('#'))
    throw new SchemaFault(`must not refer to other documents, as ${quoted(target)} does`);
  // An anchor could stand around its own reference.
  if (!/^#(?:\/|$)/.test(place))
    throw new SchemaFault(
      `must refer to a place such as #/$defs/name, not to an anchor, as ${quoted(target)} does`,
    );
  return place;
}

function decoded(target: string): string {
  try {
    return decodeURIComponent(target);
  } catch {
    return target;
  }
}

function find(root: Fields, pointer: string, target: unknown): unknown {
  let value: unknown = root;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key))
      throw new SchemaFault(`must not refer to ${quoted(target)}, where there is no schema`);
    value = Reflect.get(value, key);
  }
  return value;
}

function escaped(key: string | number): string {
  return String(key).replaceAll('~', '~0').replaceAll('/', '~1');
}

/** `/items/0/name`, cut where names are long. */
function pointerOf(place: Failure['place']): string {
  const parts: string[] = [];
  for (let at = place; at !== null; at = at.around) parts.unshift(escaped(String(at.key).slice(0, 80)));
  return `/${parts.join('/')}`;
}

function quoted(value: unknown): string {
  return `\`${String(value).slice(0, 100)}\``;
}
