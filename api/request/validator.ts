/** Validators for bodies and parameters, with error messages as sentences. */
import type { TSchema } from 'typebox';

import { Settings } from 'typebox/system';
import { type ErrorCode, DomainError } from '#domain/errors.ts';
import { compileSchema } from '#runtime/compile-schema.ts';
import { describeErrors } from '#runtime/validation-messages.ts';

/**
 * The most errors collected for one value. Each branch of a union may report several before the union itself
 * does.
 */
const collectedErrorsMax = 64;
/** The most errors reported to the client. */
const reportedErrorsMax = 10;

Settings.Set({ maxErrors: collectedErrorsMax });

export interface Validator {
  /** @throws DomainError `code`, with the first error as message and all of them as detail */
  check(value: unknown): void;
}

/** @param rootName what messages call the value itself, such as "The body" */
export function createValidator(
  schema: TSchema,
  code: ErrorCode & ('invalid_body' | 'invalid_parameter' | 'invalid_request'),
  rootName: string,
): Validator {
  return {
    check: (value) => {
      const compiled = compileSchema(schema);
      if (compiled.Check(value)) return;
      const messages = describeErrors(compiled.Errors(value), schema, value, rootName);
      const [first = `${rootName} does not have the documented form.`] = messages;
      const reported = messages.slice(0, reportedErrorsMax);
      const omitted = messages.length - reported.length;
      const more = omitted > 0 ? ` There are ${omitted} more.` : '';
      throw new DomainError(code, first, messages.length > 1 ? { detail: reported.join(' ') + more } : {});
    },
  };
}
