/** Turns whatever was thrown into a refusal that may be shown; everything else about it stays in the log. */
import { isDatabaseUnavailable } from '#db/errors.ts';
import { DomainError } from '#domain/errors.ts';
import { BatcherFullError } from '#runtime/batcher.ts';

/** The refusal for anything thrown. Unknown failures become an opaque `internal_error` with the cause inside. Never throws. */
export function toDomainError(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  try {
    return recognize(error);
  } catch {
    // An error may be made so that looking at it throws; then nothing of it is looked at.
    return internalError(new Error('What was thrown cannot be read.'));
  }
}

function recognize(error: unknown): DomainError {
  if (error instanceof BatcherFullError) return databaseUnavailable('The hub is too busy just now.', error);
  if (isDatabaseUnavailable(error))
    return databaseUnavailable('The database cannot be reached just now.', error);
  return internalError(error);
}

function internalError(cause: unknown): DomainError {
  return new DomainError('internal_error', 'Something went wrong inside the hub. It has been logged.', {
    hint: 'Try again later. Give `request_id` to the operator if it happens again.',
    cause,
  });
}

function databaseUnavailable(message: string, cause: unknown): DomainError {
  return new DomainError('database_unavailable', message, {
    hint: 'Nothing was changed, unless the answer to an earlier try got lost. Try again shortly, with the same `Idempotency-Key` if you sent one.',
    cause,
  });
}
