/**
 * Collects the named schemas of the endpoints, so that the document defines each once and refers to it by
 * name.
 */
import type { TSchema } from 'typebox';
import { invariant } from '#domain/errors.ts';

export type Json = Readonly<Record<string, unknown>>;

export interface ComponentSchemas {
  /** Converts a schema for the document. Named schemas in it, including itself, become references. */
  add(schema: TSchema, side: Side): Json;
  /** The named schemas collected so far. */
  all(): Json;
}

/** Responses are documented as open, because later versions may add fields; requests are closed. */
export type Side = 'request' | 'response';

const listsOfSchemas = ['anyOf', 'allOf', 'oneOf'];

export function createComponentSchemas(): ComponentSchemas {
  const components = new Map<string, Json>();

  const convert = (node: Json, side: Side): Json => {
    const { title, ...rest } = Object.fromEntries(
      Object.entries(node)
        .filter(
          ([keyword, value]) =>
            !(side === 'response' && keyword === 'additionalProperties' && value === false),
        )
        .map(([keyword, value]) => [keyword, convertKeyword(keyword, value, side)]),
    );
    if (typeof title !== 'string') return rest;
    const known = components.get(title);
    invariant(
      known === undefined || Bun.deepEquals(known, rest),
      `All schemas named ${title} are equal and used on one side only.`,
    );
    components.set(title, rest);
    return { $ref: `#/components/schemas/${title}` };
  };
  const convertKeyword = (keyword: string, value: unknown, side: Side): unknown => {
    if (keyword === 'properties') {
      return Object.fromEntries(
        Object.entries(asJson(value)).map(([name, property]) => [name, convert(asJson(property), side)]),
      );
    }
    if (listsOfSchemas.includes(keyword) && Array.isArray(value)) {
      return value.map((branch) => convert(asJson(branch), side));
    }
    const isSchema = keyword === 'items' || keyword === 'additionalProperties' || keyword === 'not';
    return isSchema && typeof value === 'object' ? convert(asJson(value), side) : value;
  };

  return {
    // The JSON round trip drops TypeBox's internal properties.
    add: (schema, side) => convert(asJson(JSON.parse(JSON.stringify(schema))), side),
    all: () => Object.fromEntries([...components].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function asJson(value: unknown): Json {
  invariant(typeof value === 'object' && value !== null, 'A schema is an object.');
  return value as Json; // Checked in the line above.
}
