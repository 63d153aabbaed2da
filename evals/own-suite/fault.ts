/** Faults of a document: where it breaks which rule. */
import type { TSchema } from 'typebox';
import { compileSchema } from '#runtime/json-reader.ts';
import { locateErrors } from '#runtime/validation-messages.ts';

/** Names and indices from the root of the document to the value at fault. */
export type Path = readonly (string | number)[];

/** `message` is a sentence that says the rule and, where it helps, the way out. */
export interface Fault {
  readonly path: Path;
  readonly message: string;
}

/** Where `value`, which stands at `path`, does not have the form of `schema`. Names in messages begin at `value`. */
export function findShapeFaults(schema: TSchema, value: unknown, path: Path, rootName: string): Fault[] {
  const compiled = compileSchema(schema);
  if (compiled.Check(value)) return [];
  return locateErrors(compiled.Errors(value), schema, value, rootName).map(({ parts, sentence }) => ({
    path: [...path, ...parts.map((part) => (/^\d+$/.test(part) ? Number(part) : part))],
    message: sentence,
  }));
}

/** `cases[3].expect[0].equals` */
export function nameOf(path: Path): string {
  return path.reduce<string>(
    (name, part) => (typeof part === 'number' ? `${name}[${part}]` : name === '' ? part : `${name}.${part}`),
    '',
  );
}
