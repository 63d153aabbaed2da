/** Turns anything thrown into an error that may be shown to the client. The details go to the log only. */
import { isDatabaseUnavailable, isStoreFrozen } from '#db/errors.ts';
import { DomainError } from '#domain/errors.ts';
import { hubFrozen } from '#domain/freeze/freeze-hub.ts';
import { BatcherFullError } from '#runtime/loop-turns.ts';

/** Unknown errors become an opaque `internal_error` with the original as cause. Never throws. */
export function toDomainError(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  try {
    return recognize(error);
  } catch {
    // An object can throw when it is inspected, e.g. a proxy; then it is not inspected at all.
    return internalError(new Error('An unreadable value was thrown.'));
  }
}

function recognize(error: unknown): DomainError {
  if (error instanceof BatcherFullError) return databaseUnavailable('The hub is too busy.', error);
  if (isStoreFrozen(error)) return hubFrozen(error);
  if (isDatabaseUnavailable(error)) return databaseUnavailable('The database is unavailable.', error);
  return internalError(error);
}

function internalError(cause: unknown): DomainError {
  return new DomainError(
    'internal_error',
    'The hub failed to handle the request. The error has been logged.',
    {
      hint: 'Try again later. If it happens again, report `request_id` to the operator.',
      cause,
    },
  );
}

function databaseUnavailable(message: string, cause: unknown): DomainError {
  return new DomainError('database_unavailable', message, {
    hint: 'Nothing was changed, unless the response to an earlier attempt was lost. Retry shortly, with the same `Idempotency-Key` if you sent one.',
    cause,
  });
}
