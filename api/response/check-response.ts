/**
 * Checks responses against the endpoint's declaration while tests run. An undeclared shape or error code
 * becomes an `internal_error` that no test can overlook.
 */

import { DomainError, InvariantError } from '#domain/errors.ts';

import { compileSchema } from '#runtime/json-reader.ts';
import { errorCodesOf } from '../plugins/operations.ts';
import type { JsonResponse, Endpoint } from '../endpoint.ts';

export interface ResponseChecks {
  /** @throws InvariantError */
  checkResponse(response: JsonResponse | Response): void;
  /** Returns the error itself, or an `internal_error` if its code is undeclared. */
  checkError(error: DomainError): DomainError;
}

export function createResponseChecks(endpoint: Endpoint): ResponseChecks {
  const name = `${endpoint.method} ${endpoint.path}`;
  const codes = new Set(errorCodesOf(endpoint));
  return {
    checkResponse: (response) => {
      const declared = endpoint.responses[response.status];
      if (declared === undefined) {
        throw new InvariantError(`${name} responded with ${response.status}, which it does not declare.`);
      }
      if (response instanceof Response) return;
      const validator = declared.schema === undefined ? undefined : compileSchema(declared.schema);
      const body: unknown = response.body === undefined ? null : JSON.parse(JSON.stringify(response.body));
      const [error] = validator === undefined ? [] : validator.Errors(body);
      if (error !== undefined || (validator === undefined && body !== null)) {
        throw new InvariantError(
          `${name} responded with a body that does not match its declaration: ${JSON.stringify(error)}`,
        );
      }
    },
    checkError: (error) => {
      if (codes.has(error.code)) return error;
      const cause = new InvariantError(`${name} failed with ${error.code}, which it does not declare.`);
      return new DomainError('internal_error', cause.message, { cause });
    },
  };
}
