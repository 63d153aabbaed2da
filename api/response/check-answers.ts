/**
 * Holds an endpoint to its declaration while tests run: an answer of another shape, or a refusal that the OpenAPI
 * document does not list, becomes an `internal_error` that no test can overlook.
 */
import type { TSchema } from 'typebox';
import { DomainError, InvariantError } from '#domain/errors.ts';
import { Compile } from 'typebox/compile';
import { errorCodesOf } from '../error-codes.ts';
import type { Answer, Endpoint } from '../endpoint.ts';

export interface AnswerChecks {
  /** @throws InvariantError */
  checkAnswer(answer: Answer | Response): void;
  /** The refusal itself, or an `internal_error` in its place. */
  checkRefusal(refusal: DomainError): DomainError;
}

export function createAnswerChecks(endpoint: Endpoint): AnswerChecks {
  const name = `${endpoint.method} ${endpoint.path}`;
  const codes = new Set(errorCodesOf(endpoint));
  const validators = new Map<string, ReturnType<typeof Compile<TSchema>>>();
  for (const [status, { schema }] of Object.entries(endpoint.answers)) {
    if (schema !== undefined) validators.set(status, Compile(schema));
  }
  return {
    checkAnswer: (answer) => {
      if (!(answer.status in endpoint.answers)) {
        throw new InvariantError(`${name} answered ${answer.status}, which it does not declare.`);
      }
      if (answer instanceof Response) return;
      const validator = validators.get(String(answer.status));
      const body: unknown = answer.body === undefined ? null : JSON.parse(JSON.stringify(answer.body));
      const [fault] = validator === undefined ? [] : validator.Errors(body);
      if (fault !== undefined || (validator === undefined && body !== null)) {
        throw new InvariantError(`${name} answered another body than it declares: ${JSON.stringify(fault)}`);
      }
    },
    checkRefusal: (refusal) => {
      if (codes.has(refusal.code)) return refusal;
      const cause = new InvariantError(`${name} refused with ${refusal.code}, which it does not declare.`);
      return new DomainError('internal_error', cause.message, { cause });
    },
  };
}
