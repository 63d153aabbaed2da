/** Explains a driver's error on opening a store to the operator. */
import { StartError } from '#runtime/process/start-error.ts';
import { hostUrlsOf } from '#runtime/settings/host-urls.ts';
import {
  isDatabaseUnavailable,
  SchemaForeignError,
  SchemaTooNewError,
  SchemaTooOldError,
  someCause,
} from './errors.ts';
import type { DatabaseSetting } from './database.ts';
import { PoolModeMissingError } from './pool-mode.ts';

/** @returns null for a defect of the hub, where a stack trace says more */
export function explainOpenFailure(setting: DatabaseSetting, error: unknown): StartError | null {
  if (error instanceof StartError) return error;
  const place = describeStore(setting);
  const name = setting.namedBy ?? 'DATABASE_URL';
  if (someCause(error, (cause) => cause instanceof SchemaTooNewError)) {
    return new StartError(
      `${place} was migrated by another line of versions of the hub, and this version would damage it. Run that ` +
        `version, restore a backup of this one, or set ${name} to another database.`,
      { cause: error },
    );
  }
  if (someCause(error, (cause) => cause instanceof SchemaForeignError)) {
    const isDefault = setting.kind === 'sqlite' && setting.namedBy === undefined;
    const emptyOne = isDefault ? 'set DATA_DIR to a new folder' : `set ${name} to it`;
    return new StartError(
      `${place} was made by an unreleased version of the hub or by another program, and cannot be upgraded. ` +
        `Start with an empty database: ${emptyOne}. This one was left as it is.`,
      { isSetting: true, cause: error },
    );
  }
  if (someCause(error, (cause) => cause instanceof SchemaTooOldError)) {
    return new StartError(
      `${place} does not have this version's schema. Start the hub with this version or run \`hub migrate\`, or set ` +
        `${placesOf(setting)} to the value that the hub uses.`,
      { cause: error },
    );
  }
  if (someCause(error, (cause) => cause instanceof PoolModeMissingError)) {
    return new StartError(
      `${name} leads to a pooler that assigns a server connection per transaction. Add pool_mode=transaction to its ` +
        'query (…?pool_mode=transaction), or connect to Postgres itself.',
      { isSetting: true, cause: error },
    );
  }
  return setting.kind === 'sqlite' ? explainSqlite(setting, error) : explainPostgres(place, name, error);
}

/** What leads to a file: for a hub, DATA_DIR if there is no DATABASE_URL. */
function placesOf({ namedBy }: DatabaseSetting): string {
  return namedBy ?? 'DATA_DIR or DATABASE_URL';
}

/** The location without user and password. */
export function describeStore(setting: DatabaseSetting): string {
  return setting.kind === 'sqlite' ? setting.file : describePostgres(setting.url);
}

function describePostgres(url: string): string {
  const hosts = hostUrlsOf(url).map((each) => new URL(each));
  const servers = hosts.map(({ hostname, port }) => `${hostname}:${port || '5432'}`);
  const database = decodeURIComponent(hosts[0]?.pathname.slice(1) ?? '');
  return `Postgres at ${servers.join(',')}, database ${database}`;
}

function explainPostgres(place: string, name: string, error: unknown): StartError | null {
  const has = (pattern: RegExp): boolean =>
    someCause(error, ({ errno }) => typeof errno === 'string' && pattern.test(errno));
  if (has(/^28/)) {
    return new StartError(
      `${place}: the server rejected the user or the password in ${name}. Correct them there or on the server.`,
      { isSetting: true, cause: error },
    );
  }
  if (has(/^3D000$/)) {
    return new StartError(
      `${place}: the database does not exist. Create it with createdb, or set another one in ${name}.`,
      { isSetting: true, cause: error },
    );
  }
  if (has(/^(42501|3F000)$/)) {
    return new StartError(
      `${place}: the user in ${name} may not read or create tables there. Make it the owner of the database and its tables, or set another user.`,
      { isSetting: true, cause: error },
    );
  }
  if (someCause(error, ({ code }) => code === 'ERR_POSTGRES_TLS_NOT_AVAILABLE')) {
    return new StartError(
      `${place}: the server offers no TLS, which sslmode in ${name} requires. Turn it on at the server, or correct sslmode.`,
      { isSetting: true, cause: error },
    );
  }
  if (!isDatabaseUnavailable(error)) return null;
  return new StartError(
    `${place} cannot be reached or does not respond. Start it, or set ${name} to another server.`,
    { cause: error },
  );
}

function explainSqlite(
  setting: Extract<DatabaseSetting, { kind: 'sqlite' }>,
  error: unknown,
): StartError | null {
  const { file, namedBy } = setting;
  const has = (pattern: RegExp): boolean =>
    someCause(error, ({ code }) => typeof code === 'string' && pattern.test(code));
  if (has(/^SQLITE_(NOTADB|CORRUPT)/)) {
    return new StartError(
      `${file} is not a SQLite database, or it is damaged. Restore it from a backup, or use another file: ${namedBy ?? 'DATABASE_URL'}=sqlite:<file>.`,
      { cause: error },
    );
  }
  if (
    has(/^SQLITE_(CANTOPEN|READONLY|PERM|AUTH)|^(EACCES|EPERM|EROFS|ENOENT|ENOTDIR|EEXIST|EISDIR|ELOOP)$/)
  ) {
    return new StartError(
      `${file} cannot be opened for writing. Let this user write the file and its folder, or set ${placesOf(setting)} to another place.`,
      { isSetting: true, cause: error },
    );
  }
  if (has(/^SQLITE_(FULL|IOERR)|^(ENOSPC|EDQUOT|EIO)$/)) {
    return new StartError(
      `${file} cannot be written: the disk is full or broken. Free some space, or repair it.`,
      {
        cause: error,
      },
    );
  }
  if (!isDatabaseUnavailable(error)) return null;
  return new StartError(`${file} stayed locked by another process. Stop that process, and start again.`, {
    cause: error,
  });
}
