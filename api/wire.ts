/** The wire form of what the domain returns: fields in snake_case, instants as text. */
import type { Fixed } from '#runtime/json-reader.ts';
import type { Static, TObject, TSchema } from 'typebox';

/** A body, or a part of one. */
export type Wire<S extends TSchema> = Fixed<Static<S>>;

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** The row behind a wire form: fields in camelCase, dates for instants. An undefined field is left out. */
export type RowOf<T> = T extends string
  ? T | Date
  : T extends readonly (infer Item)[]
    ? readonly RowOf<Item>[]
    : T extends object
      ? {
          readonly [K in keyof T as CamelCase<K & string>]:
            | RowOf<T[K]>
            | (object extends Pick<T, K> ? undefined : never);
        }
      : T;

/** The value of a field that is left out unless it is true. */
export const mark = (isTrue: boolean): true | undefined => (isTrue ? true : undefined);

type Write = (value: unknown) => unknown;

/** Derives the view of a row from the schema. Call it once: what it returns is called for each row. */
export function toWire<S extends TObject>(schema: S): (row: RowOf<Static<S>>) => Wire<S> {
  // The type of the row has what the schema asks for.
  return writerOf(schema) as (row: RowOf<Static<S>>) => Wire<S>;
}

function writerOf(schema: TSchema): Write {
  // Of JSON Schema, as TypeBox keeps it.
  const { properties, items, anyOf } = schema as {
    readonly properties?: Readonly<Record<string, TSchema>>;
    readonly items?: TSchema;
    readonly anyOf?: readonly TSchema[];
  };
  const [first, second] = anyOf ?? [];
  if (first !== undefined && second !== undefined && 'type' in second && second.type === 'null') {
    const write = writerOf(first);
    return (value) => (value === null ? null : write(value));
  }
  if (items !== undefined) {
    const write = writerOf(items);
    return (list) => (list as readonly unknown[]).map(write);
  }
  return properties === undefined ? writeValue : writeFields(properties);
}

function writeFields(properties: Readonly<Record<string, TSchema>>): Write {
  const fields = Object.entries(properties).map(([name, schema]) => ({
    name,
    field: name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    write: writerOf(schema),
  }));
  return (row) => {
    const wire: Record<string, unknown> = {};
    for (const { name, field, write } of fields) {
      const value = (row as Readonly<Record<string, unknown>>)[field];
      if (value !== undefined) wire[name] = write(value);
    }
    return wire;
  };
}

function writeValue(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value;
}
