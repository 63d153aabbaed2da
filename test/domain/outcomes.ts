/** Outcomes of verbs: the errors they throw, and counts over concurrent calls. */
import { expect } from 'bun:test';
import { DomainError, type ErrorCode } from '#domain/errors.ts';

/** Expects a verb to throw a DomainError, and returns it. */
export async function domainErrorOf(promise: Promise<unknown>): Promise<DomainError> {
  const outcome = await promise.then(
    () => null,
    (error: unknown) => error,
  );
  expect(outcome).toBeInstanceOf(DomainError);
  return outcome as DomainError; // Checked by the line above.
}

export async function codeOf(promise: Promise<unknown>): Promise<ErrorCode> {
  return (await domainErrorOf(promise)).code;
}

/** Counts the outcomes: `ok` or the error code. */
export async function tally(calls: readonly Promise<unknown>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const outcome of await Promise.allSettled(calls)) {
    const name =
      outcome.status === 'fulfilled'
        ? 'ok'
        : outcome.reason instanceof DomainError
          ? outcome.reason.code
          : String(outcome.reason);
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
