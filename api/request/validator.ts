/** Compiled checks of bodies and parameters that know how to say, in a sentence, what is wrong. */
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { Settings } from 'typebox/system';
import { type ErrorCode, DomainError } from '#domain/errors.ts';
import { describeFaults } from './fault-messages.ts';

/** Faults that are looked for in one value. Each branch of a union may report some before the union itself does. */
const faultsSoughtMax = 64;
/** Faults that are told. */
const faultsToldMax = 10;

Settings.Set({ maxErrors: faultsSoughtMax });

export interface Validator {
  /** @throws DomainError `code`, with the first fault as message and all of them as detail */
  check(value: unknown): void;
}

/** @param whole what the message calls the value itself, such as "The body" */
export function compileValidator(
  schema: TSchema,
  code: ErrorCode & ('invalid_body' | 'invalid_parameter'),
  whole: string,
): Validator {
  const compiled = Compile(schema);
  return {
    check: (value) => {
      if (compiled.Check(value)) return;
      const faults = describeFaults(compiled.Errors(value), schema, value, whole);
      const [first = `${whole} does not have the documented form.`] = faults;
      const told = faults.slice(0, faultsToldMax);
      const untold = faults.length - told.length;
      const more = untold > 0 ? ` There are ${untold} more.` : '';
      throw new DomainError(code, first, faults.length > 1 ? { detail: told.join(' ') + more } : {});
    },
  };
}
