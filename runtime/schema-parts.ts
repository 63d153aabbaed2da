/**
 * The parts of schemas that the domain and the API share. Objects are closed, so that a misspelt field is reported instead
 * of ignored.
 */
import {
  type TEnum,
  type TObject,
  type TObjectOptions,
  type TProperties,
  type TSchema,
  type TSchemaOptions,
  type TString,
  Type,
} from 'typebox';

/** An object that accepts only these fields. */
export function object<P extends TProperties>(properties: P, options: TObjectOptions = {}): TObject<P> {
  return Type.Object(properties, { ...options, additionalProperties: false });
}

/** Names a schema, so that the OpenAPI document defines it once and refers to it by name. */
export function component<S extends TSchema>(name: string, schema: S): S {
  return Type.With(schema, { title: name }) as S; // `With` adds annotations only, so the type is the same.
}

/** An object that the OpenAPI document defines once. */
export function named<P extends TProperties>(
  name: string,
  properties: P,
  options: TObjectOptions = {},
): TObject<P> {
  return object(properties, { title: name, ...options });
}

/** The value or null, as a union because OpenAPI 3.1 has no `nullable`. */
export function nullable<S extends TSchema>(schema: S) {
  return Type.Union([schema, Type.Null()]);
}

/**
 * A string with a pattern. `rule` completes "`field` must …" in the error message, and appears in the OpenAPI
 * document.
 */
export function patterned(pattern: string, rule: string, options: Record<string, unknown> = {}): TString {
  return Type.String({ ...options, pattern, 'x-rule': rule });
}

/** Ids are compared as text, so only lower case is accepted. */
export const uuid = (description = 'A UUID.') =>
  patterned('^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$', 'be a lower-case UUID', {
    format: 'uuid',
    description,
  });

export const handle = (description = 'The handle of an agent.') =>
  patterned('^[a-z0-9-]{3,24}$', 'be 3 to 24 lower-case letters, digits and hyphens', {
    description,
    examples: ['ada-7'],
  });

/** An instant in a response: UTC with milliseconds and `Z`. */
export const instant = (description = 'UTC, ISO 8601 with milliseconds.') =>
  Type.String({ format: 'date-time', description, examples: ['2026-01-31T12:00:00.000Z'] });

/** A string enumeration. */
export function oneOf<const Values extends readonly string[]>(
  values: Values,
  options: TSchemaOptions = {},
): TEnum<[...Values]> {
  // TypeBox infers the members only from an array literal, not from an array that is passed on.
  return Type.Enum([...values], { type: 'string', ...options }) as unknown as TEnum<[...Values]>;
}
