/**
 * Building blocks of schemas. Objects are closed, so that a misspelt field is reported instead of ignored.
 */
import { Type, type TObject, type TProperties, type TSchema, type TObjectOptions } from 'typebox';

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
