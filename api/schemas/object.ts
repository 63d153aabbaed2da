/** Objects of the interface: closed, so that a misspelt field is told rather than ignored. */
import { Type, type TObject, type TProperties, type TSchema, type TObjectOptions } from 'typebox';

/** An object with these fields and no others. */
export function object<P extends TProperties>(properties: P, options: TObjectOptions = {}): TObject<P> {
  return Type.Object(properties, { ...options, additionalProperties: false });
}

/** Names a schema, under which the OpenAPI document lists it once and refers to it everywhere. */
export function component<S extends TSchema>(name: string, schema: S): S {
  return Type.With(schema, { title: name }) as S; // What `With` adds is a word about the schema, no other type.
}

/** The value or null. Spelt as a union, which is how OpenAPI 3.1 wants it. */
export function nullable<S extends TSchema>(schema: S) {
  return Type.Union([schema, Type.Null()]);
}
