import { Ajv } from 'ajv';
import { join } from 'node:path';
import { packageFolder } from '#runtime/project-files.ts';

/**
 * The schema of the compose specification, as packaged in dclint. Its `$schema` is not the URL that ajv knows
 * for draft 7.
 */
const { $schema: _, ...schema } = (await Bun.file(
  join(packageFolder('dclint'), 'schemas', 'compose.schema.json'),
).json()) as Record<string, unknown>;

export const fitsComposeSchema = new Ajv({ strict: false, allErrors: true }).compile(schema);
