/** Moves schemas that occur more than once into the components, named after the fields that have them. */
import type { Json } from '../component-schemas.ts';
import { freeName } from './names.ts';
import { mapSchemas, mapWithin, type SchemaPlaces } from './map-schemas.ts';

/** Sharing a schema inside a shared one takes another round. */
const rounds = 3;
/** The characters that sharing must save. */
const savingMin = 4;
const referenceLength = 36;
/** For schemas of whole bodies, which have no field. */
const bodyName = 'Body';

export function shareSchemas(places: SchemaPlaces): SchemaPlaces {
  let shared = places;
  for (let round = 0; round < rounds; round += 1) shared = shareOnce(shared);
  return shared;
}

function shareOnce(places: SchemaPlaces): SchemaPlaces {
  const counts = countSchemas(places);
  const definitions: Record<string, Json> = {};
  const names = new Map<string, string>();
  const definedAs = new Map(Object.entries(places.schemas).map(([name, one]) => [JSON.stringify(one), name]));
  const nameOf = (text: string, given: string): string | null => {
    const defined = definedAs.get(text);
    if (defined !== undefined && text.length > referenceLength + defined.length) return defined;
    const known = names.get(text);
    if (known !== undefined) return known;
    const hint = given === '' ? bodyName : given;
    const count = counts.get(text) ?? 0;
    const saving = (count - 1) * text.length - count * (referenceLength + hint.length) - hint.length;
    if (count < 2 || saving < savingMin) return null;
    const name = freeName(hint, (one) => one in places.schemas || one in definitions);
    names.set(text, name);
    return name;
  };
  const replace = (schema: Json, hint: string): Json => {
    const text = JSON.stringify(schema);
    const name = '$ref' in schema ? null : nameOf(text, hint);
    if (name === null) return mapWithin(schema, hint, replace);
    // Its parts are shared in the next round.
    if (!(name in places.schemas)) definitions[name] ??= schema;
    return { $ref: `#/components/schemas/${name}` };
  };
  const replaced = mapSchemas(places, replace);
  return { ...replaced, schemas: { ...replaced.schemas, ...definitions } };
}

/** How often each schema occurs, by its text. */
function countSchemas(places: SchemaPlaces): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const count = (schema: Json, hint: string): Json => {
    const text = JSON.stringify(schema);
    const before = counts.get(text) ?? 0;
    counts.set(text, before + 1);
    // The parts of a schema that occurs again do not occur again by themselves.
    return before === 0 ? mapWithin(schema, hint, count) : schema;
  };
  mapSchemas(places, count);
  return counts;
}
