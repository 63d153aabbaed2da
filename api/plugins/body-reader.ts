/** Makes the body reader of an endpoint: read, parse, check, in that order, by what the endpoint declares. */
import { object } from '../schemas/object.ts';
import type { Endpoint } from '../endpoint.ts';
import { BODY_MAX_BYTES, readJsonBody } from './body.ts';
import { compileValidator } from './validator.ts';

/** Where no body is declared, an empty object may still be sent, as many clients do. */
const NO_FIELDS = object({});

/** @returns null when the method has no body, so that there is nothing to read */
export function createBodyReader(endpoint: Endpoint): ((request: Request) => Promise<unknown>) | null {
  if (!takesBody(endpoint)) return null;
  const optional = endpoint.body === undefined || endpoint.bodyOptional === true;
  const validator = compileValidator(endpoint.body ?? NO_FIELDS, 'invalid_body', 'The body');
  const maxBytes = endpoint.bodyMaxBytes ?? BODY_MAX_BYTES;
  return async (request) => {
    const body = await readJsonBody(request, maxBytes, optional);
    if (body === undefined) return null;
    validator.check(body);
    return endpoint.body === undefined ? null : body;
  };
}

/** DELETE carries none here: what a body on it means is undefined (RFC 9110 section 9.3.5). */
export function takesBody({ method }: Endpoint): boolean {
  return method === 'POST' || method === 'PUT' || method === 'PATCH';
}
