/** Says in one sentence why a store is unavailable, for the operator. */
import { outageIn, StoreFrozenError } from './errors.ts';

/** By SQLSTATE: the first that fits. */
const postgresReasons: readonly (readonly [RegExp, string])[] = [
  [/^28/, 'The database server rejects the user or the password in DATABASE_URL.'],
  [/^3D/, 'The database in DATABASE_URL does not exist.'],
  [/^42501$/, 'The user in DATABASE_URL lacks privileges on the tables.'],
  [/^25006$/, 'The database does not accept writes: it is read-only, or a standby.'],
  [/^53300$/, 'The database server has no connection left.'],
  [/^53/, 'The database server lacks disk, memory or another resource.'],
  [/^55P03$/, 'The database was locked for too long.'],
  [/^55/, 'The database does not accept connections.'],
  [/^57014$/, 'The database took too long.'],
  [/^57/, 'The database server is starting, is shutting down, or has ended the connection.'],
  [/^58/, 'The database server has an error of its system.'],
];
const codeReasons: readonly (readonly [RegExp, string])[] = [
  [
    /^SQLITE_(READONLY|CANTOPEN|PERM)|^(EACCES|EROFS)$/,
    'The file of the database cannot be written by this user.',
  ],
  [/^SQLITE_(FULL|IOERR)|^(ENOSPC|EDQUOT|EIO)$/, 'The disk of the database is full or broken.'],
  [/^SQLITE_(CORRUPT|NOTADB)/, 'The file of the database is damaged.'],
  [/^SQLITE_BUSY/, 'Another process holds the lock of the database.'],
  [
    /^ERR_POSTGRES_(TLS|SASL|CHANNEL|AUTH|UNKNOWN_AUTH|UNSUPPORTED_AUTH)/,
    'The database server and the hub agree on no way to log in.',
  ],
];
const unreachable = 'The database cannot be reached.';
const saidCharactersMax = 200;

/** @returns null if the store is not the cause of the error */
export function describeOutage(error: unknown): string | null {
  const outage = outageIn(error);
  if (outage === null) return null;
  const { code, errno, message } = outage;
  const said = typeof message === 'string' ? (message.split('\n', 1)[0] ?? '') : '';
  if (outage instanceof StoreFrozenError) return said;
  const matching = (reasons: typeof codeReasons, text: unknown): string | undefined =>
    typeof text === 'string' ? reasons.find(([pattern]) => pattern.test(text))?.[1] : undefined;
  const reason = matching(postgresReasons, errno) ?? matching(codeReasons, code) ?? unreachable;
  return said === '' ? reason : `${reason} It said: ${said.slice(0, saidCharactersMax)}`;
}
