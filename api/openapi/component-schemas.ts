/**
 * Collects the named schemas of the endpoints, so that the document defines each once and refers to it by
 * name.
 */
import type { TSchema } from 'typebox';
import { invariant } from '#domain/errors.ts';
import { block, line } from '../schemas/text.ts';
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
  readonly definition: Json;
  /** Without its examples, which some forms of the document leave out. */
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
  const { description, 'x-rule': _, ...definition } = plainSchema(schema);
  const { examples: _examples, ...form } = definition;
  return { name, definition, form, plainDescription: description };
}

/** Texts with these patterns differ in their lengths, which stand beside the reference. */
const sharedTexts = [
  sharedText('Line', line({ max: 1 })),
  sharedText('Block', block({ max: 1 })),
  sharedText('OptionalBlock', block({ max: 1, min: 0 })),
];
/** An example that adds nothing. */
const placeholder = plainSchema(line({ max: 1 }))['examples'];

function sharedText(name: string, schema: TSchema) {
  const { type, minLength, pattern } = plainSchema(schema);
  return { name, form: { type, minLength, pattern } };
}

const listsOfSchemas = ['anyOf', 'allOf', 'oneOf'];

/** Limits that the hub keeps; clients need not check what it returns. */
const limits = new Set(['minimum', 'maximum', 'minItems', 'maxItems', 'examples']);

/** @param short leaves out what follows from the rest or stands in the introduction, and defines only what is used twice */
export function createComponentSchemas(short: boolean): ComponentSchemas {
  const components = new Map<string, Json>();
  /** Each named schema as declared. */
  const declared = new Map<string, { readonly text: string; readonly side: Side }>();
  const references = new Map<string, Record<string, unknown>[]>();

  const convert = (node: Json, side: Side, isField = false): Json => {
    const { title, 'x-extends': base, ...own } = node;
    if (typeof title === 'string') {
      return refer(title, base === undefined ? own : { ...own, 'x-extends': base }, side);
    }
    if (base !== undefined && short && side === 'response') {
      return { allOf: [convert(asJson(base), side), convert(without(own, asJson(base)), side)] };
    }
    const rest = Object.fromEntries(
      Object.entries(own)
        .filter(isKept(short, side, isField))
        .map(([keyword, value]) => [keyword, convertKeyword(keyword, value, side)]),
    );
    const schema = short ? withoutImplied(rest, side) : rest;
    if (side === 'request') return shareValue(schema);
    return shareNull(schema) ?? shareValue(withShortNull(schema));
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

  const referenceTo = (name: string, own: Json = {}): Json => {
    const reference = { $ref: `#/components/schemas/${name}`, ...own };
    references.set(name, [...(references.get(name) ?? []), reference]);
    return reference;
  };

  /** Refers to a value that many schemas share, such as an id, and keeps the description of this one. */
  const shareValue = (schema: Json): Json => {
    const { description, ...bare } = schema;
    const { examples: _, ...form } = bare;
    const shared = sharedValues.find((one) => Bun.deepEquals(one.form, form));
    if (shared === undefined) return short ? shareText(schema) : schema;
    components.set(shared.name, shared.definition);
    const isPlain = description === undefined || description === shared.plainDescription;
    return referenceTo(shared.name, isPlain ? {} : { description });
  };

  const shareText = (schema: Json): Json => {
    const shared = sharedTexts.find(({ form }) =>
      Object.entries(form).every(([keyword, value]) => schema[keyword] === value),
    );
    if (shared === undefined) return schema;
    components.set(shared.name, shared.form);
    const { type: _, minLength: _min, pattern: _pattern, ...own } = schema;
    return referenceTo(shared.name, own);
  };

  /** The same for a nullable value. */
  const shareNull = ({ anyOf, ...outer }: Json): Json | null => {
    if (!Array.isArray(anyOf) || anyOf.length !== 2 || anyOf[1]?.type !== 'null') return null;
    const { $ref, ...inner } = asJson(anyOf[0]);
    const shared = sharedValues.find(({ name }) => $ref === `#/components/schemas/${name}`);
    if (shared === undefined) return null;
    const name = `${shared.name}OrNull`;
    components.set(name, { ...shared.definition, type: [shared.form['type'], 'null'] });
    references.get(shared.name)?.pop();
    return referenceTo(name, { ...inner, ...outer });
  };

  const convertKeyword = (keyword: string, value: unknown, side: Side): unknown => {
    if (keyword === 'properties') {
      return Object.fromEntries(
        Object.entries(asJson(value)).map(([name, property]) => [
          name,
          convert(asJson(property), side, true),
        ]),
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
    all: () => {
      if (short) inlineSingles(components, references);
      return Object.fromEntries([...components].toSorted(([a], [b]) => (a < b ? -1 : 1)));
    },
  };
}

function isKept(short: boolean, side: Side, isField: boolean) {
  return ([keyword, value]: readonly [string, unknown]): boolean => {
    if (keyword === 'x-rule') return false; // For our own messages.
    if (keyword === 'additionalProperties' && value === false) return side === 'request' && !short;
    if (short && keyword === 'examples' && Bun.deepEquals(value, placeholder)) return false;
    return !(short && isField && side === 'response' && limits.has(keyword));
  };
}

/** Puts a definition that is used once where it is used. */
function inlineSingles(
  components: Map<string, Json>,
  references: ReadonlyMap<string, readonly Record<string, unknown>[]>,
): void {
  for (const [name, [only, ...others]] of references) {
    const definition = components.get(name);
    if (only === undefined || others.length > 0 || definition === undefined) continue;
    const { $ref: _, ...own } = only;
    for (const keyword of Object.keys(only)) Reflect.deleteProperty(only, keyword);
    Object.assign(only, definition, own);
    components.delete(name);
  }
}

/** The fields that an object adds to the one that it extends. */
function without(schema: Json, base: Json): Json {
  const fields = asJson(base['properties']);
  const isOwn = (name: string): boolean => !(name in fields);
  const required = ((schema['required'] ?? []) as readonly string[]).filter(isOwn);
  const properties = Object.entries(asJson(schema['properties'])).filter(([name]) => isOwn(name));
  return {
    type: 'object',
    ...(required.length === 0 ? {} : { required }),
    properties: Object.fromEntries(properties),
  };
}

/** A value implies its type, and so do the fields of a response, whose objects are open. */
function withoutImplied({ patternProperties, ...given }: Json, side: Side): Json {
  const [values = {}] = patternProperties === undefined ? [] : Object.values(asJson(patternProperties));
  const schema = Bun.deepEquals(values, {}) ? given : { ...given, additionalProperties: values };
  const isImplied = 'const' in schema || 'enum' in schema || (side === 'response' && 'properties' in schema);
  const { type: _, ...implied } = schema;
  return isImplied ? implied : schema;
}

/** The JSON round trip drops TypeBox's internal properties. */
function plainSchema(schema: TSchema): Json {
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
