/** Rewrites a schema that has all fields of another one as that schema plus the rest. */
import type { Json } from '../component-schemas.ts';

type Schemas = Readonly<Record<string, Json>>;

interface ObjectSchema {
  readonly type: 'object';
  readonly required?: readonly string[];
  readonly properties: Readonly<Record<string, Json>>;
}

/** Fewer fields are not worth a reference. */
const fieldsMin = 3;

export function extendSchemas(schemas: Schemas): Schemas {
  const objects = Object.entries(schemas).flatMap(([name, schema]) =>
    isOpenObject(schema) ? [{ name, schema, size: Object.keys(schema.properties).length }] : [],
  );
  const largestFirst = objects.toSorted((one, other) => other.size - one.size);
  const extended = (name: string, schema: Json): Json => {
    if (!isOpenObject(schema)) return schema;
    const size = Object.keys(schema.properties).length;
    const base = largestFirst.find(
      (one) => one.name !== name && one.size < size && one.size >= fieldsMin && has(schema, one.schema),
    );
    return base === undefined
      ? schema
      : { allOf: [{ $ref: `#/components/schemas/${base.name}` }, without(schema, base.schema)] };
  };
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, extended(name, schema)]));
}

/** Closed objects cannot be extended: the base would refuse the other fields. */
function isOpenObject(schema: Json): schema is Json & ObjectSchema {
  const known = ['type', 'required', 'properties'];
  return 'properties' in schema && Object.keys(schema).every((keyword) => known.includes(keyword));
}

function has(schema: ObjectSchema, base: ObjectSchema): boolean {
  return Object.entries(base.properties).every(
    ([name, property]) =>
      Bun.deepEquals(schema.properties[name], property) &&
      isRequired(schema, name) === isRequired(base, name),
  );
}

function isRequired({ required = [] }: ObjectSchema, name: string): boolean {
  return required.includes(name);
}

function without(schema: ObjectSchema, base: ObjectSchema): Json {
  const required = (schema.required ?? []).filter((name) => !(name in base.properties));
  return {
    type: 'object',
    ...(required.length === 0 ? {} : { required }),
    properties: Object.fromEntries(
      Object.entries(schema.properties).filter(([name]) => !(name in base.properties)),
    ),
  };
}
