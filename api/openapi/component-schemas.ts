/**
 * Collects the named schemas of the endpoints, so that the document defines each once and refers to it by
 * name.
 */
import type { TSchema } from 'typebox';
import { invariant } from '#domain/errors.ts';
import { handle, instant, uuid } from '../schemas/values.ts';

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
  readonly form: Json;
  /** The description that says nothing about where the schema is used. */
  readonly plainDescription: unknown;
}

const sharedValues: readonly SharedValue[] = [
  sharedValue('Id', uuid()),
  sharedValue('Instant', instant()),
  sharedValue('Handle', handle()),
];

function sharedValue(name: string, schema: TSchema): SharedValue {
  const { description, 'x-rule': _, ...form } = JSON.parse(JSON.stringify(schema)) as Json;
  return { name, form, plainDescription: description };
}

const listsOfSchemas = ['anyOf', 'allOf', 'oneOf'];

const omittedWhenBrief = new Set(['pattern', 'examples', 'default', 'minLength', 'format']);
const omittedFromBriefResponses = new Set([
  ...omittedWhenBrief,
  'description',
  'format',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
]);

/**
 * @param brief leaves out what a program does not need: descriptions and limits in responses, and patterns, which error
 * messages explain
 */
export function createComponentSchemas({ brief = false } = {}): ComponentSchemas {
  const components = new Map<string, Json>();
  const convert = (node: Json, side: Side): Json => {
    const isKept = ([keyword, value]: readonly [string, unknown]): boolean => {
      if (keyword === 'x-rule') return false; // For our own messages.
      if (side === 'response' && keyword === 'additionalProperties' && value === false) return false;
      return !brief || !(side === 'response' ? omittedFromBriefResponses : omittedWhenBrief).has(keyword);
    };
    const { title, ...rest } = Object.fromEntries(
      Object.entries(node)
        .filter(isKept)
        .map(([keyword, value]) => [keyword, convertKeyword(keyword, value, side)]),
    );
    if (typeof title !== 'string') {
      if (side === 'request') return shareValue(rest);
      return shareNull(rest) ?? shareValue(withShortNull(rest));
    }
    const known = components.get(title);
    invariant(
      known === undefined || Bun.deepEquals(known, rest),
      `All schemas named ${title} are equal and used on one side only.`,
    );
    components.set(title, rest);
    return { $ref: `#/components/schemas/${title}` };
  };
  /** Refers to a value that many schemas share, such as an id, and keeps the description of this one. */
  const shareValue = (schema: Json): Json => {
    const { description, ...bare } = schema;
    const shared = brief ? undefined : sharedValues.find(({ form }) => Bun.deepEquals(form, bare));
    if (shared === undefined) return schema;
    components.set(shared.name, shared.form);
    const isPlain = description === undefined || description === shared.plainDescription;
    return { $ref: `#/components/schemas/${shared.name}`, ...(isPlain ? {} : { description }) };
  };
  /** The same for a nullable value. */
  const shareNull = ({ anyOf, ...outer }: Json): Json | null => {
    if (!Array.isArray(anyOf) || anyOf.length !== 2 || anyOf[1]?.type !== 'null') return null;
    const { $ref, ...inner } = asJson(anyOf[0]);
    const shared = sharedValues.find(({ name }) => $ref === `#/components/schemas/${name}`);
    if (shared === undefined) return null;
    const name = `${shared.name}OrNull`;
    components.set(name, { ...shared.form, type: [shared.form['type'], 'null'] });
    return { $ref: `#/components/schemas/${name}`, ...inner, ...outer };
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
