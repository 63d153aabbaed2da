/** Visits the schemas of a document. */
import type { Json } from '../component-schemas.ts';
import type { Paths } from './share-responses.ts';
import { pascalCase } from './names.ts';

/** The parts of a document that have schemas. */
export interface SchemaPlaces {
  readonly paths: Paths;
  readonly webhooks: Json;
  readonly responses: Json;
  /** The named schemas. They stay where they are. */
  readonly schemas: Readonly<Record<string, Json>>;
}

/** @param hint a name for the schema, empty if there is none */
export type MapSchema = (schema: Json, hint: string) => Json;

export function mapSchemas(
  { paths, webhooks, responses, schemas }: SchemaPlaces,
  map: MapSchema,
): SchemaPlaces {
  return {
    // Only schemas change.
    paths: mapBelow(paths, '', map) as unknown as Paths,
    webhooks: mapBelow(webhooks, '', map),
    responses: mapBelow(responses, '', map),
    schemas: Object.fromEntries(
      Object.entries(schemas).map(([name, schema]) => [name, mapWithin(schema, name, map)]),
    ),
  };
}

/** Maps the schemas that a part of the document has under `schema`. */
function mapBelow(part: Json, hint: string, map: MapSchema): Json {
  const name = typeof part['name'] === 'string' ? pascalCase(part['name']) : hint;
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => {
      if (typeof value !== 'object' || value === null) return [key, value];
      if (key === 'schema') return [key, map(value as Json, name)]; // A schema is an object.
      if (Array.isArray(value)) {
        const items: readonly unknown[] = value;
        return [key, items.map((item) => (isJson(item) ? mapBelow(item, name, map) : item))];
      }
      return [key, mapBelow(value as Json, name, map)];
    }),
  );
}

/** Maps the schemas directly inside a schema. */
export function mapWithin(schema: Json, hint: string, map: MapSchema): Json {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [keyword, mapKeyword(keyword, value, hint, map)]),
  );
}

function mapKeyword(keyword: string, value: unknown, hint: string, map: MapSchema): unknown {
  switch (keyword) {
    case 'properties':
      return Object.fromEntries(
        Object.entries(value as Json).map(([name, property]) => [
          name,
          isJson(property) ? map(property, pascalCase(name)) : property,
        ]),
      );
    case 'anyOf':
    case 'allOf':
    case 'oneOf':
      return (value as readonly Json[]).map((branch) => map(branch, hint));
    case 'items':
    case 'additionalProperties':
      return isJson(value) ? map(value, hint === '' ? '' : `${hint}Item`) : value;
    default:
      return value;
  }
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
