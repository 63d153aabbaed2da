/** Prepares a schema for many values, and refuses one that cannot be used. */
import type { WorkBudget } from '../work-budget.ts';
import { applicators } from './applicators.ts';
import { assertions } from './assertions.ts';
import {
  type Apply,
  type Builder,
  type Fields,
  isFields,
  type Keyword,
  SchemaFault,
  type Visit,
} from './schema.ts';

/** Schemas inside each other, references included. */
const maxSchemaDepth = 200;
/** Steps of preparing and of applying a keyword. */
const keywordSteps = 10;

/** Keywords that say something to people, or that stand in for other documents. */
const ignored: readonly string[] = [
  '$schema',
  '$comment',
  '$anchor',
  '$dynamicAnchor',
  '$recursiveAnchor',
  '$vocabulary',
  'title',
  'description',
  'default',
  'deprecated',
  'examples',
  'readOnly',
  'writeOnly',
  'contentEncoding',
  'contentMediaType',
  'contentSchema',
  // They belong to `if`, `contains` and `items`.
  'then',
  'else',
  'minContains',
  'maxContains',
  'additionalItems',
];

/** In this order, because those with `unevaluated` in their name read what the others evaluated. */
const keywords: ReadonlyMap<string, Keyword> = new Map(
  Object.entries({ ...assertions, ...applicators } satisfies Record<string, Keyword>),
);

interface Prepared {
  readonly apply: Apply;
  /** The schemas inside, references included. */
  readonly depth: number;
}

/**
 * @param warn takes a sentence for what JSON Schema asks validators to ignore, without its point
 * @throws SchemaFault, TooMuchWorkError
 */
export function prepareSchema(
  root: Fields,
  work: WorkBudget,
  warn: (message: string) => void = () => {},
): Apply {
  /** By JSON Pointer. Null while it is being prepared: a reference to it would be a loop. */
  const known = new Map<string, Prepared | null>();
  const prepare = (schema: unknown, pointer: string, depth: number): Prepared => {
    const ready = known.get(pointer);
    if (ready != null) {
      if (depth + ready.depth > maxSchemaDepth) throw tooDeep();
      return ready;
    }
    if (depth > maxSchemaDepth) throw tooDeep();
    known.set(pointer, null);
    let inside = 0;
    const follow = (value: unknown, at: string): Apply => {
      const prepared = prepare(value, at, depth + 1);
      inside = Math.max(inside, prepared.depth + 1);
      return prepared.apply;
    };
    const build: Builder = {
      pointer,
      work,
      warn,
      sub: (value, ...keys) =>
        follow(
          value,
          keys.reduce<string>((at, key) => `${at}/${escaped(key)}`, pointer),
        ),
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
    };
    const prepared = { apply: joined(schema, build), depth: inside };
    known.set(pointer, prepared);
    return prepared;
  };
  return prepare(root, '#', 0).apply;
}

const tooDeep = () => new SchemaFault(`must be at most ${maxSchemaDepth} schemas deep, references included`);

/** All keywords of a schema as one. */
function joined(schema: unknown, build: Builder): Apply {
  if (schema === true) return () => null;
  if (schema === false) return (_, { place }) => ({ place, message: 'must not be there' });
  if (!isFields(schema))
    throw new SchemaFault(`must be a JSON Schema: ${build.pointer} must be an object, true or false`);
  const own = Object.keys(schema);
  build.work.spend(own.length * keywordSteps);
  for (const name of own)
    if (!keywords.has(name) && !ignored.includes(name))
      build.warn(
        `has ${quoted(name)} at ${build.pointer}, which is no keyword of JSON Schema and checks nothing`,
      );
  const checks: Apply[] = [];
  for (const [name, prepare] of keywords) {
    if (!Object.hasOwn(schema, name)) continue;
    const check = prepare(schema[name], schema, build);
    if (check !== null) checks.push(check);
  }
  return (value, visit: Visit) => {
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
  const place = decoded(target);
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
    const next: unknown = typeof value === 'object' && value !== null && Object.hasOwn(value, key);
    if (next !== true) throw new SchemaFault(`must not refer to ${quoted(target)}, where there is no schema`);
    value = Reflect.get(value as object, key); // `hasOwn` has just shown that it exists.
  }
  return value;
}

function escaped(key: string | number): string {
  return String(key).replaceAll('~', '~0').replaceAll('/', '~1');
}

function quoted(value: unknown): string {
  return `\`${String(value).slice(0, 100)}\``;
}
