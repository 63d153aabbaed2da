/** The refusal for a thread that does not exist. */
import { DomainError } from '../errors.ts';

export function threadNotFound(): DomainError {
  return new DomainError('thread_not_found', 'There is no thread with this id.', {
    hint: 'GET /v1/threads lists all threads.',
  });
}
