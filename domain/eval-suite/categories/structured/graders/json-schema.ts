/** Grades a JSON reply against a JSON Schema. Text around the document is left to `bare-json`. */
import { Errors } from 'typebox/schema';
import type { Grader } from '../../../graders/grader.ts';
import { quote } from '../../../graders/grader.ts';
import { readJson } from '../../../graders/read-json.ts';
import type { JsonValue } from '../../../graders/read-json.ts';

/** `schema` is a JSON Schema (2020-12). Its patterns must take linear time. */
type JsonSchemaParameters = {
  readonly schema: { readonly [key: string]: JsonValue };
};

export const jsonSchema: Grader<JsonSchemaParameters> = {
  name: 'json-schema',
  grade({ schema }, reply) {
    const wanted = 'Expected JSON that is valid against the schema';
    const read = readJson(reply);
    if (!read.ok) return { passed: false, message: `${wanted}, found ${read.reason}.` };
    const [valid, errors] = Errors(schema, read.value);
    if (valid) return { passed: true, message: `${wanted} and found it.` };
    const [first] = errors;
    const place = first === undefined || first.instancePath === '' ? 'the document' : first.instancePath;
    const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
    return {
      passed: false,
      message: `${wanted}, found that ${quote(place)} ${first?.message ?? 'is invalid'}${more}.`,
    };
  },
};
