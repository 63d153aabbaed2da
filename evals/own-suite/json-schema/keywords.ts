/** The keywords of JSON Schema, in the order in which they are applied. Here are those that apply other schemas. */
import {
  assertions,
  type Check,
  countOf,
  expressionOf,
  fail,
  type Here,
  isObject,
  type Keyword,
  namesOf,
  requireAll,
  type Visit,
} from './assertions.ts';
import { type Fields, isFields } from '../exact-json.ts';
import type { JsonValue } from '../graders/read-json.ts';

/** Applies a schema to a part of the value. What it evaluates is inside that part. */
function inside(check: Check, value: JsonValue, key: string | number, visit: Visit) {
  return check(value, { place: { around: visit.place, key }, work: visit.work, evaluated: new Set() });
}

/** Applies a schema to the value itself. What it evaluates counts if the value matches. */
function onItself(check: Check): Check {
  return (value, visit) => {
    const evaluated: Visit['evaluated'] = new Set();
    const failure = check(value, { ...visit, evaluated });
    if (failure !== null) return failure;
    visit.work.spend(evaluated.size);
    for (const part of evaluated) visit.evaluated.add(part);
    return null;
  };
}

function all(checks: readonly Check[]): Check {
  return (value, visit) => {
    for (const check of checks) {
      const failure = check(value, visit);
      if (failure !== null) return failure;
    }
    return null;
  };
}

function listOf(argument: unknown, keyword: string, here: Here): readonly Check[] {
  if (!Array.isArray(argument) || argument.length === 0)
    throw here.fault(keyword, 'be a list of schemas that is not empty');
  return argument.map((each: unknown, at) => here.sub(each, keyword, at));
}

function namedOf(argument: unknown, keyword: string, here: Here): ReadonlyMap<string, Check> {
  if (!isFields(argument)) throw here.fault(keyword, 'be an object of schemas');
  return new Map(Object.entries(argument).map(([name, each]) => [name, here.sub(each, keyword, name)]));
}

/** Checks that apply to objects with a property. Draft-07 wrote lists of names and schemas in one keyword. */
const dependents =
  (keyword: string, takes: 'names' | 'schemas' | 'both'): Keyword =>
  (argument, here) => {
    const what = takes === 'names' ? 'be an object of lists of names' : 'be an object of schemas';
    if (!isFields(argument)) throw here.fault(keyword, what);
    const rules = Object.entries(argument).map(([name, each]) => {
      const isNames = takes === 'names' || (takes === 'both' && Array.isArray(each));
      const check = isNames
        ? requireAll(namesOf(each, `${keyword}/${name}`, here))
        : onItself(here.sub(each, keyword, name));
      return [name, check] as const;
    });
    return (value, visit) => {
      if (!isObject(value)) return null;
      visit.work.spend(rules.length);
      return all(rules.flatMap(([name, check]) => (Object.hasOwn(value, name) ? check : [])))(value, visit);
    };
  };

/** Schemas that only references apply. They are prepared so that their faults are found. */
const definitions =
  (keyword: string): Keyword =>
  (argument, here) => {
    namedOf(argument, keyword, here);
    return null;
  };

const refer: Keyword = (argument, here) => onItself(here.refer(argument));

/** All are tried, because each that matches says what it evaluated. */
const choice =
  (keyword: string, message: string, isEnough: (matching: number) => boolean): Keyword =>
  (argument, here) => {
    const options = listOf(argument, keyword, here).map(onItself);
    return (value, visit) => {
      const matching = options.filter((each) => each(value, visit) === null).length;
      return isEnough(matching) ? null : fail(visit, message);
    };
  };

const conditional: Keyword = (argument, here) => {
  const condition = onItself(here.sub(argument, 'if'));
  const [then, otherwise] = ['then', 'else'].map((name) =>
    Object.hasOwn(here.fields, name) ? onItself(here.sub(here.fields[name], name)) : () => null,
  );
  return (value, visit) => (condition(value, visit) === null ? then : otherwise)?.(value, visit) ?? null;
};

const not: Keyword = (argument, here) => {
  const refused = here.sub(argument, 'not');
  return (value, visit) =>
    refused(value, { ...visit, evaluated: new Set() }) === null
      ? fail(visit, 'must not match the schema in not')
      : null;
};

/** Applies to each property the schemas that `checksOf` finds for it. */
function toProperties(checksOf: (name: string, visit: Visit) => readonly Check[], isRefused: boolean): Check {
  return (value, visit) => {
    if (!isObject(value)) return null;
    for (const [name, part] of Object.entries(value)) {
      visit.work.spend(1);
      const checks = checksOf(name, visit);
      if (checks.length > 0) visit.evaluated.add(name);
      const failure = inside(all(checks), part, name, visit);
      if (failure === null) continue;
      return isRefused ? fail(visit, `must not have the property '${name.slice(0, 80)}'`) : failure;
    }
    return null;
  };
}

const properties: Keyword = (argument, here) => {
  const named = namedOf(argument, 'properties', here);
  return toProperties((name) => {
    const own = named.get(name);
    return own === undefined ? [] : [own];
  }, false);
};

/** The schemas of `patternProperties` whose expression finds something in a name. */
function patternsOf(argument: unknown, here: Here) {
  const named = [...namedOf(argument, 'patternProperties', here)];
  const patterns = named.map(
    ([source, check]) => [expressionOf(source, 'patternProperties', here), check] as const,
  );
  return (name: string, { work }: Visit) =>
    patterns.flatMap(([expression, check]) => (expression.find(name, work) === null ? [] : check));
}

const additionalProperties: Keyword = (argument, here) => {
  const others = here.sub(argument, 'additionalProperties');
  const named: Fields = isFields(here.fields['properties']) ? here.fields['properties'] : {};
  const patterns = here.fields['patternProperties'];
  const fitting = patterns === undefined ? () => [] : patternsOf(patterns, here);
  return toProperties(
    (name, visit) => (Object.hasOwn(named, name) || fitting(name, visit).length > 0 ? [] : [others]),
    argument === false,
  );
};

const propertyNames: Keyword = (argument, here) => {
  const names = here.sub(argument, 'propertyNames');
  return (value, visit) => {
    const wrong = isObject(value)
      ? Object.keys(value).find((name) => inside(names, name, name, visit) !== null)
      : undefined;
    if (wrong === undefined) return null;
    return fail(visit, `must not have the property '${wrong.slice(0, 80)}', whose name does not match`);
  };
};

/** Applies to each item the schema that `checkOf` finds for it. */
function toItems(checkOf: (at: number, visit: Visit) => Check | null, refusal: string | null): Check {
  return (value, visit) => {
    if (!Array.isArray(value)) return null;
    for (const [at, item] of value.entries()) {
      visit.work.spend(1);
      const check = checkOf(at, visit);
      if (check === null) continue;
      visit.evaluated.add(at);
      const failure = inside(check, item, at, visit);
      if (failure !== null) return refusal === null ? failure : fail(visit, refusal);
    }
    return null;
  };
}

const prefixItems: Keyword = (argument, here) => {
  const first = listOf(argument, 'prefixItems', here);
  return toItems((at) => first[at] ?? null, null);
};

/** Draft-07 wrote `prefixItems` and `items` as `items` and `additionalItems`. */
const items: Keyword = (argument, here) => {
  const isList = Array.isArray(argument);
  const prefix = isList ? argument : here.fields['prefixItems'];
  const skipped = Array.isArray(prefix) ? prefix.length : 0;
  const first = isList ? argument.map((each: unknown, at) => here.sub(each, 'items', at)) : [];
  const keyword = isList ? 'additionalItems' : 'items';
  const rest = here.fields[keyword];
  const others = rest === undefined ? null : here.sub(rest, keyword);
  const after = toItems(
    (at) => (at < skipped ? null : others),
    rest === false ? `must have at most ${skipped} items` : null,
  );
  return all([toItems((at) => first[at] ?? null, null), after]);
};

const contains: Keyword = (argument, here) => {
  const wanted = here.sub(argument, 'contains');
  const [least = 1, most = Infinity] = ['minContains', 'maxContains'].map((name) =>
    here.fields[name] === undefined ? undefined : countOf(here.fields[name], name, here),
  );
  return (value, visit) => {
    if (!Array.isArray(value)) return null;
    const found = [...value.keys()].filter((at) => inside(wanted, value[at], at, visit) === null);
    for (const at of found) visit.evaluated.add(at);
    if (found.length < least) return fail(visit, `must contain at least ${least} matching items`);
    return found.length > most ? fail(visit, `must contain at most ${most} matching items`) : null;
  };
};

const unevaluatedProperties: Keyword = (argument, here) => {
  const others = here.sub(argument, 'unevaluatedProperties');
  return toProperties((name, { evaluated }) => (evaluated.has(name) ? [] : [others]), argument === false);
};

const unevaluatedItems: Keyword = (argument, here) => {
  const others = here.sub(argument, 'unevaluatedItems');
  return toItems(
    (at, { evaluated }) => (evaluated.has(at) ? null : others),
    argument === false ? 'must not have further items' : null,
  );
};

/** `$id` names the document. Inside it would begin another document, in which `#` means something else. */
const id: Keyword = (argument, here) => {
  if (here.isRoot) return null;
  const given = typeof argument === 'string' ? `, as ${argument.slice(0, 100)} does` : '';
  throw here.fault('$id', `not be there: a schema must not refer to other documents${given}`);
};

/** In this order, because those with `unevaluated` in their name read what the others evaluated. */
export const keywords: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ...assertions,
  ['dependentRequired', dependents('dependentRequired', 'names')],
  ['$id', id],
  ['$defs', definitions('$defs')],
  ['definitions', definitions('definitions')],
  ['$ref', refer],
  ['$dynamicRef', refer],
  ['$recursiveRef', refer],
  ['allOf', (argument, here) => all(listOf(argument, 'allOf', here).map(onItself))],
  ['anyOf', choice('anyOf', 'must match a schema in anyOf', (matching) => matching > 0)],
  ['oneOf', choice('oneOf', 'must match exactly one schema in oneOf', (matching) => matching === 1)],
  ['not', not],
  ['if', conditional],
  ['properties', properties],
  ['patternProperties', (argument, here) => toProperties(patternsOf(argument, here), false)],
  ['additionalProperties', additionalProperties],
  ['propertyNames', propertyNames],
  ['dependentSchemas', dependents('dependentSchemas', 'schemas')],
  ['dependencies', dependents('dependencies', 'both')],
  ['prefixItems', prefixItems],
  ['items', items],
  ['contains', contains],
  ['unevaluatedItems', unevaluatedItems],
  ['unevaluatedProperties', unevaluatedProperties],
]);
