/** Refers to string patterns by name, and leaves out examples that say nothing. */
import type { TSchema } from 'typebox';
import type { Json } from '../component-schemas.ts';
import { block, line } from '../../schemas/text.ts';
import { mapSchemas, mapWithin, type SchemaPlaces } from './map-schemas.ts';

const placeholder = asJson(line({ max: 1 }))['examples'];

interface SharedText {
  readonly name: string;
  readonly form: Json;
}

const sharedTexts: readonly SharedText[] = [
  shared('Line', asJson(line({ max: 1 }))),
  shared('Block', asJson(block({ max: 1 }))),
  shared('OptionalBlock', asJson(block({ max: 1, min: 0 }))),
];

function shared(name: string, { type, minLength, pattern }: Json): SharedText {
  return { name, form: { type, minLength, pattern } };
}

function asJson(schema: TSchema): Json {
  return { ...schema };
}

export function shareTexts(places: SchemaPlaces): SchemaPlaces {
  const used: Record<string, Json> = {};
  const replace = (schema: Json, hint: string): Json => {
    const { examples, ...rest } = schema;
    const kept = Bun.deepEquals(examples, placeholder) ? rest : schema;
    const known = sharedTexts.find(({ form }) =>
      Object.entries(form).every(([keyword, value]) => kept[keyword] === value),
    );
    if (known === undefined) return mapWithin(kept, hint, replace);
    used[known.name] = known.form;
    const { type: _, minLength: _min, pattern: _pattern, ...own } = kept;
    return { $ref: `#/components/schemas/${known.name}`, ...own };
  };
  const { schemas, ...others } = mapSchemas(places, replace);
  return { ...others, schemas: { ...schemas, ...used } };
}
