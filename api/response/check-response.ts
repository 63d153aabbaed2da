/**
 * Holds an endpoint to its declaration while tests run: an answer of another shape, or a refusal that the OpenAPI
 * document does not list, becomes an `internal_error` that no test can overlook.
 */
import type { TSchema } from 'typebox';
import { DomainError, InvariantError } from '#domain/errors.ts';
import { Compile } from 'typebox/compile';
import { errorCodesOf } from '../errors/endpoint-errors.ts';
import type { JsonResponse, Endpoint } from '../endpoint.ts';

export interface ResponseChecks {
  /** @throws InvariantError */
  checkResponse(response: JsonResponse | Response): void;
  /** The refusal itself, or an `internal_error` in its place. */
  checkError(error: DomainError): DomainError;
}

export function createResponseChecks(endpoint: Endpoint): ResponseChecks {
  const name = `${endpoint.method} ${endpoint.path}`;
  const codes = new Set(errorCodesOf(endpoint));
  const validators = new Map<string, ReturnType<typeof Compile<TSchema>>>();
  for (const [status, { schema }] of Object.entries(endpoint.responses)) {
    if (schema !== undefined) validators.set(status, Compile(schema));
  }
  return {
    checkResponse: (response) => {
      if (!(response.status in endpoint.responses)) {
        throw new InvariantError(`${name} answered ${response.status}, which it does not declare.`);
      }
      if (response instanceof Response) return;
      const validator = validators.get(String(response.status));
      const body: unknown = response.body === undefined ? null : JSON.parse(JSON.stringify(response.body));
      const [fault] = validator === undefined ? [] : validator.Errors(body);
      if (fault !== undefined || (validator === undefined && body !== null)) {
        throw new InvariantError(`${name} answered another body than it declares: ${JSON.stringify(fault)}`);
      }
    },
    checkError: (error) => {
      if (codes.has(error.code)) return error;
      const cause = new InvariantError(`${name} refused with ${error.code}, which it does not declare.`);
      return new DomainError('internal_error', cause.message, { cause });
    },
  };
}
