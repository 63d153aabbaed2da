/** Reads the parameters of OAuth requests, which come in queries and in forms (RFC 6749 section 3.1 and 3.2). */
import type { TSchema } from 'typebox';
import { DomainError } from '#domain/errors.ts';
import { createValidator } from './validator.ts';

export type OauthParameters = Readonly<Record<string, string>>;

/**
 * An empty parameter counts as omitted, and none may be repeated.
 * @throws DomainError invalid_request
 */
export function readOauthParameters(text: string): OauthParameters {
  const read: Record<string, string> = {};
  const seen = new Set<string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (seen.has(name)) {
      throw new DomainError(
        'invalid_request',
        `Each parameter may be sent once, but one is repeated${known(name)}.`,
      );
    }
    seen.add(name);
    if (value !== '') read[name] = value;
  }
  return read;
}

const plainName = /^[a-z_]{1,40}$/;

function known(name: string): string {
  return plainName.test(name) ? `: \`${name}\`` : '';
}

/** @returns a reader that ignores parameters which the schema does not have */
export function createParametersReader(schema: TSchema, subject: string): (text: string) => unknown {
  const validator = createValidator(schema, 'invalid_request', subject);
  // The schemas of forms are objects.
  const names = Object.keys((schema as { readonly properties?: object }).properties ?? {});
  return (text) => {
    const given = readOauthParameters(text);
    const picked = Object.fromEntries(
      names.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])),
    );
    validator.check(picked);
    return picked;
  };
}
