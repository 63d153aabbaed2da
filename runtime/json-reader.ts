/**
 * Reads JSON that another process wrote: checks it against a schema and turns its instants back into dates.
 * `JSON.stringify` is the way out. Both steps are prepared only once for a schema, since they run for every command
 * and every reply.
 */
import { type Static, type TSchema, Type } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';

/** A `Date`, which is an ISO 8601 text in JSON. */
export function Instant() {
  return Type.Unsafe<Date>({ type: 'string', isInstant: true });
}

/** Deeply readonly. */
export type Fixed<T> = T extends object ? { readonly [K in keyof T]: Fixed<T[K]> } : T;

/**
 * @returns a function that leaves its argument as it is
 * @throws TypeError from the returned function, when the value does not match the schema
 */
export function jsonReader<Schema extends TSchema>(
  schema: Schema,
  name: string,
): (value: unknown) => Static<Schema> {
  const revive = reviverOf(schema);
  return (value) => {
    const validator = compileSchema(schema);
    if (!validator.Check(value)) {
      const [fault] = validator.Errors(value);
      throw new TypeError(`Not a valid ${name}: ${fault?.instancePath || '/'} ${fault?.message}.`);
    }
    // The value matches the schema, and its instants are dates now.
    return (revive === null ? value : revive(value)) as Static<Schema>;
  };
}

type Revive = (value: unknown) => unknown;

/** @returns null for a schema without instants */
function reviverOf(schema: TSchema): Revive | null {
  if ('isInstant' in schema) return reviveInstant;
  if (Type.IsObject(schema)) return objectReviver(schema.properties);
  if (Type.IsUnion(schema)) return nullableReviver(schema.anyOf);
  return null;
}

function reviveInstant(value: unknown): Date {
  const instant = new Date(String(value));
  if (Number.isNaN(instant.getTime())) throw new TypeError('Not a valid instant.');
  return instant;
}

function objectReviver(properties: Readonly<Record<string, TSchema>>): Revive | null {
  const members = Object.entries(properties).flatMap(([key, member]) => {
    const revive = reviverOf(member);
    return revive === null ? [] : [[key, revive] as const];
  });
  if (members.length === 0) return null;
  return (value) => {
    const copy = { ...(value as Record<string, unknown>) }; // The schema is that of an object.
    for (const [key, revive] of members) if (copy[key] !== undefined) copy[key] = revive(copy[key]);
    return copy;
  };
}

function nullableReviver(members: readonly TSchema[]): Revive | null {
  const [revive, ...others] = members.flatMap((member) => reviverOf(member) ?? []);
  if (revive === undefined) return null;
  if (others.length > 0) throw new TypeError('Only one member of a union may contain instants.');
  return (value) => (value === null ? null : revive(value));
}

type Compiled<Schema extends TSchema> = Validator<{}, Schema>;

/** Many endpoints share a schema, and tests build many apps. */
const compiled = new WeakMap<TSchema, unknown>();

/**
 * Compiles a schema, once in each process. Schemas do not change after their declaration. Call this at the first use:
 * compiling all schemas would take a large part of the start of a process.
 */
export function compileSchema<Schema extends TSchema>(schema: Schema): Compiled<Schema> {
  const known = compiled.get(schema);
  // The map holds the validator of each schema under that schema.
  if (known !== undefined) return known as Compiled<Schema>;
  const fresh: Compiled<Schema> = Compile(schema);
  compiled.set(schema, fresh);
  return fresh;
}
