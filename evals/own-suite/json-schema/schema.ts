/**
 * JSON Schema (2020-12, and what draft-07 wrote in another way) as an interpreter that counts its work. A compiled
 * validator cannot be stopped, and 40 references that double apply 2^40 subschemas to one value.
 */
import type { JsonValue } from '#evals/own-suite/graders/read-json.ts';
import { isExactNumber } from '../exact-json.ts';
import type { WorkBudget } from '../work-budget.ts';

/** Names and indices that lead to a value, from the inside out. Written out only for a failure. */
export type Place = { readonly around: Place; readonly key: string | number } | null;

export interface Failure {
  readonly place: Place;
  readonly message: string;
}

/** The properties and items of a value that a schema has evaluated, for `unevaluatedProperties` and `unevaluatedItems`. */
export interface Evaluated {
  readonly properties: Set<string>;
  readonly items: Set<number>;
}

/** One application of a schema to a value. */
export interface Visit {
  readonly place: Place;
  readonly work: WorkBudget;
  readonly evaluated: Evaluated;
}

export type Apply = (value: JsonValue, visit: Visit) => Failure | null;

/** A schema that cannot be used, with the rule that it breaks. */
export class SchemaFault extends Error {
  override readonly name: string = 'SchemaFault';
}

/** What a keyword needs to prepare itself. */
export interface Builder {
  /** The JSON Pointer of the schema that has the keyword, with `#`. */
  readonly pointer: string;
  readonly work: WorkBudget;
  /** Of something that is ignored. */
  readonly warn: (message: string) => void;
  /** The subschema `value`, which stands at `keys` from here. */
  readonly sub: (value: unknown, ...keys: readonly (string | number)[]) => Apply;
  /** The schema to which a reference such as `#/$defs/name` leads. */
  readonly refer: (target: unknown) => Apply;
}

/** @returns null if the keyword has nothing to check */
export type Keyword = (argument: unknown, siblings: Fields, build: Builder) => Apply | null;

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An object of a reply. A number that JavaScript would round is none. */
export function isObject(value: JsonValue): value is { readonly [key: string]: JsonValue } {
  return isFields(value) && !isExactNumber(value);
}

export function fail({ place }: Visit, message: string): Failure {
  return { place, message };
}

/** Applies a schema to a part of the value. What it evaluates is inside that part. */
export function applyInside(
  apply: Apply,
  value: JsonValue,
  key: string | number,
  visit: Visit,
): Failure | null {
  return apply(value, {
    place: { around: visit.place, key },
    work: visit.work,
    evaluated: { properties: new Set(), items: new Set() },
  });
}

/** Applies a schema to the value itself. What it evaluates counts if the value matches. */
export function applyHere(apply: Apply, value: JsonValue, visit: Visit): Failure | null {
  const evaluated: Evaluated = { properties: new Set(), items: new Set() };
  const failure = apply(value, { ...visit, evaluated });
  if (failure !== null) return failure;
  visit.work.spend(evaluated.properties.size + evaluated.items.size);
  for (const name of evaluated.properties) visit.evaluated.properties.add(name);
  for (const at of evaluated.items) visit.evaluated.items.add(at);
  return null;
}

/** `/items/0/name`, cut where names are long. */
export function pointerOf(place: Place): string {
  const parts: string[] = [];
  for (let at = place; at !== null; at = at.around)
    parts.unshift(String(at.key).slice(0, 80).replaceAll('~', '~0').replaceAll('/', '~1'));
  return parts.map((part) => `/${part}`).join('');
}
