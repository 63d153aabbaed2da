/** The store errors that the hub reacts to. */

/**
 * The store cannot be reached, is shutting down, or stayed locked past the limit. A later attempt may
 * succeed.
 */
export class DatabaseUnavailableError extends Error {
  override readonly name: string = 'DatabaseUnavailableError';
}

/** The operator has frozen the hub; see `guardFreeze`. Work that it refuses may be repeated later. */
export class StoreFrozenError extends DatabaseUnavailableError {
  override readonly name = 'StoreFrozenError';

  constructor() {
    super('The hub is frozen: nothing is stored until its operator runs `hub unfreeze`.');
  }
}

/** Whether a transaction was refused because the hub is frozen. */
export function isStoreFrozen(error: unknown): boolean {
  return someCause(error, (cause) => cause instanceof StoreFrozenError);
}

/** COMMIT was sent, and its reply was lost with the connection: the transaction may have been committed. */
export class OutcomeUnknownError extends Error {
  override readonly name = 'OutcomeUnknownError';
}

/** Whether the effects of the transaction may exist although it failed. */
export function isOutcomeUnknown(error: unknown): boolean {
  return someCause(error, (cause) => cause instanceof OutcomeUnknownError);
}

/** A search took longer than the limit in the store. */
export class SearchTimeoutError extends Error {
  override readonly name = 'SearchTimeoutError';
}

/** Whether a search was cancelled. Postgres: SQLSTATE 57014, query canceled. */
export function isSearchTimeout(error: unknown): boolean {
  return (
    error instanceof SearchTimeoutError ||
    someCause(error, (cause) => cause instanceof SearchTimeoutError || cause.errno === '57014')
  );
}

/** For a wait that took longer than `timeoutMs`. */
export function databaseTimeout(timeoutMs: number): DatabaseUnavailableError {
  return new DatabaseUnavailableError(`The database did not respond within ${timeoutMs} ms.`);
}

/** A row was not written because its fence has changed: see `UpsertRule`. */
export class FenceLostError extends Error {
  override readonly name = 'FenceLostError';
}

/** Part of the message with which a statement on Postgres reports a lost fence. */
export const fenceLostMark = 'fence lost';

/** Whether a fenced upsert failed because of its fence. On Postgres: SQLSTATE 22P02, from a cast of the mark. */
export function isFenceLost(error: unknown): boolean {
  return someCause(
    error,
    (cause) =>
      cause instanceof FenceLostError ||
      (cause.errno === '22P02' && typeof cause.message === 'string' && cause.message.includes(fenceLostMark)),
  );
}

/** The store has migrations that this version does not know. */
export class SchemaTooNewError extends Error {
  override readonly name = 'SchemaTooNewError';
}

/** The store was made by other migrations than this version's. */
export class SchemaForeignError extends Error {
  override readonly name = 'SchemaForeignError';
}

/** The store lacks migrations of this version, or has none, and the opener may not migrate it. */
export class SchemaTooOldError extends Error {
  override readonly name = 'SchemaTooOldError';
}

export interface DriverError {
  code?: unknown;
  /** The SQLSTATE of an error from Postgres. */
  errno?: unknown;
  severity?: unknown;
  message?: unknown;
  cause?: unknown;
}

const causeDepthMax = 5;

/** Drizzle wraps the driver's error, so this searches the chain of causes. */
export function someCause(error: unknown, matches: (driverError: DriverError) => boolean): boolean {
  let current: unknown = error;
  for (let depth = 0; depth < causeDepthMax; depth += 1) {
    if (typeof current !== 'object' || current === null) return false;
    // Any object may have these fields. Each is read as unknown.
    const driverError = current as DriverError;
    if (matches(driverError)) return true;
    current = driverError.cause;
  }
  return false;
}

/** Whether a unique index rejected a row. Postgres: SQLSTATE 23505; SQLite: its extended result codes. */
export function isUniqueViolation(error: unknown): boolean {
  return someCause(error, refusesDuplicate);
}

function refusesDuplicate({ code, errno }: DriverError): boolean {
  return errno === '23505' || code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY';
}

/**
 * Whether the unique index on `tableColumn`, named `constraint` on Postgres, rejected a row. Only the
 * driver's message counts. Drizzle's repeats the values of the statement, which may be a user's text.
 */
export function violatesUnique(error: unknown, constraint: string, tableColumn: string): boolean {
  return someCause(
    error,
    (driverError) =>
      refusesDuplicate(driverError) &&
      typeof driverError.message === 'string' &&
      (driverError.message.includes(constraint) || driverError.message.includes(tableColumn)),
  );
}

/** Whether running the same transaction again may succeed: 40001 serialization failure, 40P01 deadlock. */
export function isRetryableConflict(error: unknown): boolean {
  return someCause(error, ({ errno }) => errno === '40001' || errno === '40P01');
}

/** Whether a statement named a table that the store lacks: SQLSTATE 42P01 or 3F000, or SQLite's message. */
export function isMissingTable(error: unknown): boolean {
  return someCause(
    error,
    ({ code, errno, message }) =>
      errno === '42P01' ||
      errno === '3F000' ||
      (code === 'SQLITE_ERROR' && typeof message === 'string' && message.startsWith('no such table')),
  );
}

/** Whether another connection holds SQLite's write lock. */
export function isSqliteBusy(error: unknown): boolean {
  return someCause(error, ({ code }) => typeof code === 'string' && code.startsWith('SQLITE_BUSY'));
}

/**
 * Classes of SQLSTATE that are not about the statement: 08 connection, 28 user and password, 3D no such database, 53
 * resources, 55 not in the right state or locked, 57 operator intervention, 58 system. Also 25006, a read-only server,
 * and 42501, missing privileges.
 */
const unavailableStates = /^(08|28|3D|53|55|57|58)|^(25006|42501)$/;
/** Codes of Bun for connections that were not made or were lost. */
const unavailableInBun =
  /^ERR_POSTGRES_(CONNECTION|IDLE|LIFETIME|TLS|SASL|CHANNEL_BINDING|AUTHENTICATION|UNKNOWN_AUTH|UNSUPPORTED_AUTH)|^FailedToOpenSocket$/;
const unavailableInSqlite = /^SQLITE_(BUSY|CANTOPEN|CORRUPT|FULL|IOERR|NOMEM|NOTADB|PERM|PROTOCOL|READONLY)/;
const unavailableInSystem =
  /^(EACCES|ECONN\w+|EDQUOT|EHOSTUNREACH|EIO|EMFILE|ENETUNREACH|ENOENT|ENOSPC|ENOTFOUND|EPIPE|EROFS|ETIMEDOUT|EAI_\w+)$/;

/** Whether the store, not the statement, is the cause. Another attempt may succeed once the operator has fixed it. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return outageIn(error) !== null;
}

/** @returns the error in the chain of causes that says why the store is unavailable; null if none does */
export function outageIn(error: unknown): DriverError | null {
  let outage: DriverError | null = null;
  someCause(error, (driverError) => {
    const isOutage = isOutageItself(driverError);
    // An error of our own may have the driver's as its cause, which says more.
    if (isOutage) outage = driverError;
    return isOutage && !(driverError instanceof DatabaseUnavailableError);
  });
  return outage;
}

function isOutageItself(driverError: DriverError): boolean {
  if (driverError instanceof DatabaseUnavailableError) return true;
  const { code, errno, severity } = driverError;
  // The server refused or ended the connection.
  if (severity === 'FATAL' || severity === 'PANIC') return true;
  if (typeof errno === 'string' && unavailableStates.test(errno)) return true;
  if (typeof code !== 'string') return false;
  return unavailableInBun.test(code) || unavailableInSqlite.test(code) || unavailableInSystem.test(code);
}
