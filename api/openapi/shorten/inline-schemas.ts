/** Inlines a named schema that is referenced once, and leaves out what clients do not need. */
import type { Json } from '../component-schemas.ts';
import { mapSchemas, mapWithin, type SchemaPlaces } from './map-schemas.ts';

const prefix = '#/components/schemas/';

export function inlineSchemas(places: SchemaPlaces): SchemaPlaces {
  const counts = countReferences(places);
  const inlined = new Set<string>();
  const replace = (schema: Json, hint: string): Json => {
    const { $ref, ...own } = schema;
    const name = nameOf($ref);
    const target = name === null ? undefined : places.schemas[name];
    if (name === null || target === undefined || counts.get(name) !== 1) {
      return mapWithin(withoutSurplus(schema), hint, replace);
    }
    inlined.add(name);
    return { ...mapWithin(withoutSurplus(target), hint, replace), ...own };
  };
  const mapped = mapSchemas(places, replace);
  return {
    ...mapped,
    schemas: Object.fromEntries(
      Object.entries(mapped.schemas)
        .filter(([name]) => !inlined.has(name))
        .map(([name, schema]) => [name, withoutSurplus(schema)]),
    ),
  };
}

function countReferences(places: SchemaPlaces): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const count = (schema: Json, hint: string): Json => {
    const name = nameOf(schema['$ref']);
    if (name !== null) counts.set(name, (counts.get(name) ?? 0) + 1);
    return mapWithin(schema, hint, count);
  };
  mapSchemas(places, count);
  return counts;
}

function nameOf(reference: unknown): string | null {
  return typeof reference === 'string' && reference.startsWith(prefix)
    ? reference.slice(prefix.length)
    : null;
}

/** A record of any values needs no pattern for their names. */
function withoutPattern({ patternProperties, ...schema }: Json): Json {
  if (patternProperties === undefined) return schema;
  const [values] = Object.values(patternProperties as Json);
  return Bun.deepEquals(values, {}) ? schema : { ...schema, additionalProperties: values };
}

/** Values imply their type, and clients need not check what the hub returns against its limits. */
function withoutSurplus(given: Json): Json {
  const { type, ...schema } = withoutPattern(given);
  const isImplied = 'const' in schema || 'enum' in schema;
  const rest = isImplied || type === undefined ? schema : { type, ...schema };
  // Only responses are open objects.
  if (!('properties' in rest) || 'additionalProperties' in rest) return rest;
  const { type: _, ...short }: Json = rest; // Properties imply it.
  const properties = Object.entries(rest['properties'] as Readonly<Record<string, Json>>).map(
    ([name, one]) => [name, withoutLimits(one)] as const,
  );
  return { ...short, properties: Object.fromEntries(properties) };
}

const limits = new Set(['minimum', 'maximum', 'minItems', 'maxItems', 'examples']);

function withoutLimits(schema: Json): Json {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !limits.has(keyword)));
}
