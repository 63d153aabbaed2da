import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';

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
