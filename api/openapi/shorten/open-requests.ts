/** Omits `additionalProperties: false` from requests, because the introduction says it once. */
import type { Json } from '../component-schemas.ts';
import { mapSchemas, mapWithin, type SchemaPlaces } from './map-schemas.ts';

export function openRequests(places: SchemaPlaces): SchemaPlaces {
  const open = (schema: Json, hint: string): Json => {
    const { additionalProperties, ...rest } = schema;
    return mapWithin(additionalProperties === false ? rest : schema, hint, open);
  };
  const { schemas, ...others } = mapSchemas(places, open);
  return {
    ...others,
    schemas: Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, open(schema, '')])),
  };
}
