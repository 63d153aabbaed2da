/**
 * Collects the named schemas of the endpoints, so that the document defines each once and refers to it by
 * name.
 */
import type { TSchema } from 'typebox';
import { invariant } from '#domain/errors.ts';
import { handle, instant, uuid } from '../schemas.ts';

export type Json = Readonly<Record<string, unknown>>;

export interface ComponentSchemas {
  /** Converts a schema for the document. Named schemas in it, including itself, become references. */
  add(schema: TSchema, side: Side): Json;
  /** The named schemas collected so far. */
  all(): Readonly<Record<string, Json>>;
}

/** Responses are documented as open, because later versions may add fields; requests are closed. */
export type Side = 'request' | 'response';

interface SharedValue {
  readonly name: string;
  /** Without its description. */
  readonly definition: Json;
  /** The description that says nothing about where the schema is used. */
  readonly plainDescription: unknown;
}

const sharedValues: readonly SharedValue[] = [
  sharedValue('Id', uuid()),
  sharedValue('Instant', instant()),
  sharedValue('Handle', handle()),
];

function sharedValue(name: string, schema: TSchema): SharedValue {
  const { description, 'x-rule': _, ...definition } = plainSchema(schema);
  return { name, definition, plainDescription: description };
}

const listsOfSchemas = ['anyOf', 'allOf', 'oneOf'];

export function createComponentSchemas(): ComponentSchemas {
  const components = new Map<string, Json>();
  /** Each named schema as declared. */
  const declared = new Map<string, { readonly text: string; readonly side: Side }>();

  const convert = (node: Json, side: Side): Json => {
    const { title, ...own } = node;
    if (typeof title === 'string') return refer(title, own, side);
    const schema = Object.fromEntries(
      Object.entries(own)
        .filter(([keyword, value]) => isKept(keyword, value, side))
        .map(([keyword, value]) => [keyword, convertKeyword(keyword, value, side)]),
    );
    return shareValue(side === 'request' ? schema : withShortNull(schema));
  };

  const refer = (title: string, own: Json, side: Side): Json => {
    const text = JSON.stringify(own);
    const known = declared.get(title);
    const isEqual =
      known === undefined ||
      (known.text === text &&
        (known.side === side || Bun.deepEquals(components.get(title), convert(own, side))));
    invariant(isEqual, `All schemas named ${title} are equal, and objects are used on one side only.`);
    if (known === undefined) {
      declared.set(title, { text, side });
      components.set(title, convert(own, side));
    }
    return referenceTo(title);
  };

  /** Refers to a value that many schemas share, such as an id, and keeps the description of this one. */
  const shareValue = (schema: Json): Json => {
    const { description, ...bare } = schema;
    const shared = sharedValues.find(({ definition }) => Bun.deepEquals(definition, bare));
    if (shared === undefined) return schema;
    components.set(shared.name, shared.definition);
    const isPlain = description === undefined || description === shared.plainDescription;
    return referenceTo(shared.name, isPlain ? {} : { description });
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
    add: (schema, side) => convert(plainSchema(schema), side),
    all: () => Object.fromEntries([...components].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function isKept(keyword: string, value: unknown, side: Side): boolean {
  if (keyword === 'x-rule') return false; // For our own messages.
  return keyword !== 'additionalProperties' || value !== false || side === 'request';
}

function referenceTo(name: string, own: Json = {}): Json {
  return { $ref: `#/components/schemas/${name}`, ...own };
}

/** The JSON round trip drops TypeBox's internal properties. */
export function plainSchema(schema: TSchema): Json {
  return asJson(JSON.parse(JSON.stringify(schema)));
}

/** Writes a plain value or null with two types instead of a union. */
function withShortNull(schema: Json): Json {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || anyOf[1]?.type !== 'null') return schema;
  const { type, ...value } = asJson(anyOf[0]);
  const isPlain = typeof type === 'string' && type !== 'object' && !('enum' in value) && !('const' in value);
  return isPlain ? { type: [type, 'null'], ...value, ...rest } : schema;
}

function asJson(value: unknown): Json {
  invariant(typeof value === 'object' && value !== null, 'A schema is an object.');
  return value as Json; // Checked in the line above.
}
