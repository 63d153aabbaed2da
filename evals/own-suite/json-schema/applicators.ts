/** The keywords that apply other schemas to a value or to its parts. */
import { expressionOf, namesOf, unusable } from './assertions.ts';
import {
  type Apply,
  applyHere,
  applyInside,
  type Builder,
  fail,
  type Fields,
  isFields,
  isObject,
  type Keyword,
} from './schema.ts';

function schemasOf(argument: unknown, keyword: string, build: Builder): readonly Apply[] {
  if (!Array.isArray(argument) || argument.length === 0)
    throw unusable(build, keyword, 'be a list of schemas that is not empty');
  return argument.map((each: unknown, at) => build.sub(each, keyword, at));
}

function namedSchemas(argument: unknown, keyword: string, build: Builder): ReadonlyMap<string, Apply> {
  if (!isFields(argument)) throw unusable(build, keyword, 'be an object of schemas');
  return new Map(Object.entries(argument).map(([name, each]) => [name, build.sub(each, keyword, name)]));
}

const refer: Keyword = (argument, _, build) => {
  const target = build.refer(argument);
  return (value, visit) => applyHere(target, value, visit);
};

/** Schemas that only references apply. They are prepared so that their faults are found. */
const definitions =
  (keyword: string): Keyword =>
  (argument, _, build) => {
    namedSchemas(argument, keyword, build);
    return null;
  };

const allOf: Keyword = (argument, _, build) => {
  const all = schemasOf(argument, 'allOf', build);
  return (value, visit) => {
    for (const each of all) {
      const failure = applyHere(each, value, visit);
      if (failure !== null) return failure;
    }
    return null;
  };
};

/** All are tried, because each that matches says what it evaluated. */
const choice =
  (keyword: 'anyOf' | 'oneOf'): Keyword =>
  (argument, _, build) => {
    const all = schemasOf(argument, keyword, build);
    return (value, visit) => {
      const matching = all.filter((each) => applyHere(each, value, visit) === null).length;
      if (keyword === 'oneOf' ? matching === 1 : matching > 0) return null;
      return fail(
        visit,
        `must match ${keyword === 'oneOf' ? 'exactly one schema in oneOf' : 'a schema in anyOf'}`,
      );
    };
  };

const conditional: Keyword = (argument, siblings, build) => {
  const condition = build.sub(argument, 'if');
  const [then, otherwise] = (['then', 'else'] as const).map((name) =>
    Object.hasOwn(siblings, name) ? build.sub(siblings[name], name) : null,
  );
  return (value, visit) => {
    const chosen = applyHere(condition, value, visit) === null ? then : otherwise;
    return chosen == null ? null : applyHere(chosen, value, visit);
  };
};

const not: Keyword = (argument, _, build) => {
  const refused = build.sub(argument, 'not');
  return (value, visit) => {
    const evaluated = { properties: new Set<string>(), items: new Set<number>() };
    return refused(value, { ...visit, evaluated }) === null
      ? fail(visit, 'must not match the schema in not')
      : null;
  };
};

const properties: Keyword = (argument, _, build) => {
  const named = namedSchemas(argument, 'properties', build);
  return (value, visit) => {
    if (!isObject(value)) return null;
    visit.work.spend(named.size);
    for (const [name, each] of named) {
      if (!Object.hasOwn(value, name)) continue;
      visit.evaluated.properties.add(name);
      const failure = applyInside(each, value[name] ?? null, name, visit);
      if (failure !== null) return failure;
    }
    return null;
  };
};

function patternsOf(argument: unknown, build: Builder) {
  if (!isFields(argument)) throw unusable(build, 'patternProperties', 'be an object of schemas');
  return Object.keys(argument).map((source) => expressionOf(source, 'patternProperties', build));
}

const patternProperties: Keyword = (argument, _, build) => {
  const expressions = patternsOf(argument, build);
  const schemas = [...namedSchemas(argument, 'patternProperties', build).values()];
  return (value, visit) => {
    if (!isObject(value)) return null;
    for (const [name, part] of Object.entries(value)) {
      for (const [at, expression] of expressions.entries()) {
        const each = schemas[at];
        if (each === undefined || expression.find(name, visit.work) === null) continue;
        visit.evaluated.properties.add(name);
        const failure = applyInside(each, part, name, visit);
        if (failure !== null) return failure;
      }
    }
    return null;
  };
};

const additionalProperties: Keyword = (argument, siblings, build) => {
  const others = build.sub(argument, 'additionalProperties');
  const named = siblings['properties'];
  const patterns =
    siblings['patternProperties'] === undefined ? [] : patternsOf(siblings['patternProperties'], build);
  return (value, visit) => {
    if (!isObject(value)) return null;
    for (const [name, part] of Object.entries(value)) {
      visit.work.spend(1);
      if (isFields(named) && Object.hasOwn(named, name)) continue;
      if (patterns.some((expression) => expression.find(name, visit.work) !== null)) continue;
      visit.evaluated.properties.add(name);
      const failure = applyInside(others, part, name, visit);
      if (failure === null) continue;
      return argument === false ? fail(visit, `must not have the property '${name.slice(0, 80)}'`) : failure;
    }
    return null;
  };
};

const propertyNames: Keyword = (argument, _, build) => {
  const names = build.sub(argument, 'propertyNames');
  return (value, visit) => {
    if (!isObject(value)) return null;
    for (const name of Object.keys(value)) {
      if (applyInside(names, name, name, visit) !== null)
        return fail(visit, `must not have the property '${name.slice(0, 80)}', whose name does not match`);
    }
    return null;
  };
};

const dependentSchemas =
  (keyword: 'dependentSchemas' | 'dependencies'): Keyword =>
  (argument, _, build) => {
    if (!isFields(argument)) throw unusable(build, keyword, 'be an object of schemas');
    const rules = Object.entries(argument).map(([name, each]) => {
      // Draft-07 wrote names that must be there too in the same way.
      const isList = keyword === 'dependencies' && Array.isArray(each);
      const rule = isList ? { required: namesOf(each, `${keyword}/${name}`, build) } : each;
      return [name, build.sub(rule, keyword, name)] as const;
    });
    return (value, visit) => {
      if (!isObject(value)) return null;
      visit.work.spend(rules.length);
      for (const [name, each] of rules) {
        const failure = Object.hasOwn(value, name) ? applyHere(each, value, visit) : null;
        if (failure !== null) return failure;
      }
      return null;
    };
  };

/** Applies `first` to the items in front, one each, and `others` to the rest. */
function toItems(first: readonly Apply[], others: Apply | null, isRefused: boolean): Apply {
  return (value, visit) => {
    if (!Array.isArray(value)) return null;
    for (const [at, item] of value.entries()) {
      const each = first[at] ?? others;
      if (each === null) break;
      visit.work.spend(1);
      if (isRefused && at >= first.length) return fail(visit, `must have at most ${first.length} items`);
      visit.evaluated.items.add(at);
      const failure = applyInside(each, item, at, visit);
      if (failure !== null) return failure;
    }
    return null;
  };
}

const prefixItems: Keyword = (argument, _, build) =>
  toItems(schemasOf(argument, 'prefixItems', build), null, false);

/** Draft-07 wrote `prefixItems` and `items` as `items` and `additionalItems`. */
const items: Keyword = (argument, siblings, build) => {
  if (Array.isArray(argument)) {
    const others = siblings['additionalItems'];
    const first = argument.map((each: unknown, at) => build.sub(each, 'items', at));
    return toItems(
      first,
      others === undefined ? null : build.sub(others, 'additionalItems'),
      others === false,
    );
  }
  const prefix = siblings['prefixItems'];
  const skipped: readonly unknown[] = Array.isArray(prefix) ? prefix : [];
  return toItems(
    skipped.map((): Apply => () => null),
    build.sub(argument, 'items'),
    argument === false,
  );
};

const contains: Keyword = (argument, siblings, build) => {
  const wanted = build.sub(argument, 'contains');
  const [least, most] = (['minContains', 'maxContains'] as const).map((name) =>
    countOf(siblings, name, build),
  );
  return (value, visit) => {
    if (!Array.isArray(value)) return null;
    let found = 0;
    for (const [at, item] of value.entries()) {
      if (applyInside(wanted, item, at, visit) !== null) continue;
      visit.evaluated.items.add(at);
      found += 1;
    }
    if (found < (least ?? 1)) return fail(visit, `must contain at least ${least ?? 1} matching items`);
    return found > (most ?? Number.POSITIVE_INFINITY)
      ? fail(visit, `must contain at most ${most ?? 0} matching items`)
      : null;
  };
};

function countOf(siblings: Fields, name: string, build: Builder): number | undefined {
  const count = siblings[name];
  if (count === undefined) return undefined;
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 0)
    throw unusable(build, name, 'be an integer of at least 0');
  return count;
}

const unevaluatedProperties: Keyword = (argument, _, build) => {
  const others = build.sub(argument, 'unevaluatedProperties');
  return (value, visit) => {
    if (!isObject(value)) return null;
    for (const [name, part] of Object.entries(value)) {
      visit.work.spend(1);
      if (visit.evaluated.properties.has(name)) continue;
      visit.evaluated.properties.add(name);
      const failure = applyInside(others, part, name, visit);
      if (failure === null) continue;
      return argument === false ? fail(visit, `must not have the property '${name.slice(0, 80)}'`) : failure;
    }
    return null;
  };
};

const unevaluatedItems: Keyword = (argument, _, build) => {
  const others = build.sub(argument, 'unevaluatedItems');
  return (value, visit) => {
    if (!Array.isArray(value)) return null;
    for (const [at, item] of value.entries()) {
      visit.work.spend(1);
      if (visit.evaluated.items.has(at)) continue;
      visit.evaluated.items.add(at);
      const failure = applyInside(others, item, at, visit);
      if (failure === null) continue;
      return argument === false ? fail(visit, 'must not have further items') : failure;
    }
    return null;
  };
};

/** `$id` names the document. Inside it would begin another document, in which `#` means something else. */
const id: Keyword = (argument, _, build) => {
  if (build.pointer === '#') return null;
  throw unusable(
    build,
    '$id',
    `not be there: a schema must not refer to other documents, as ${String(argument).slice(0, 100)} does`,
  );
};

export const applicators = {
  $id: id,
  $defs: definitions('$defs'),
  definitions: definitions('definitions'),
  $ref: refer,
  $dynamicRef: refer,
  $recursiveRef: refer,
  allOf,
  anyOf: choice('anyOf'),
  oneOf: choice('oneOf'),
  not,
  if: conditional,
  properties,
  patternProperties,
  additionalProperties,
  propertyNames,
  dependentSchemas: dependentSchemas('dependentSchemas'),
  dependencies: dependentSchemas('dependencies'),
  prefixItems,
  items,
  contains,
  unevaluatedItems,
  unevaluatedProperties,
} as const satisfies Record<string, Keyword>;
