/** Refuses a Postgres database that could not hold what a hub stores, before anything is written to it. */
import { SQL } from 'bun';
import { StartError } from '#runtime/process/start-error.ts';
import { within } from '#runtime/within.ts';
import { databaseTimeout } from './errors.ts';
import { pooledUrlOf } from './pool-mode.ts';

const connectTimeoutSeconds = 5;
const askTimeoutMs = 8_000;

interface Found {
  readonly encoding: string;
  /** The first that exists in `search_path`, where tables are created; null if none does. */
  readonly schema: string | null;
  readonly path: string;
}

/**
 * @param name the setting or option that names the database
 * @param isSource whether texts are only taken out of it, e.g. by `hub move` into a better one
 * @throws StartError
 */
export async function requireSuitableDatabase(
  given: string,
  name = 'DATABASE_URL',
  isSource = false,
): Promise<void> {
  const { encoding, schema, path } = await ask(given);
  if (encoding !== 'UTF8' && !isSource) {
    throw unsuitable(
      `The database in ${name} has the encoding ${encoding}, which cannot hold every text. Create one with UTF8: createdb --template=template0 --encoding=UTF8 <name>.`,
    );
  }
  if (schema !== 'public') {
    const place = schema === null ? 'no schema' : `the schema ${schema}`;
    throw unsuitable(
      `The search_path of the database in ${name} is ${path} and leads to ${place}, but the tables of a hub are in public. Correct it in ${name}, or with ALTER ROLE or ALTER DATABASE ... SET search_path.`,
    );
  }
}

async function ask(given: string): Promise<Found> {
  const { url, isPooled } = pooledUrlOf(given);
  const client = new SQL({ url, max: 1, prepare: !isPooled, connectionTimeout: connectTimeoutSeconds });
  try {
    const asked = client`
      select current_setting('server_encoding') as encoding, current_schema() as schema,
        current_setting('search_path') as path`;
    const rows = await within(askTimeoutMs, asked, () => databaseTimeout(askTimeoutMs));
    const [row] = rows as Found[];
    if (row === undefined) throw new Error('The server returned no row.');
    return { ...row, path: row.path === '' ? 'empty' : row.path };
  } finally {
    await client.close({ timeout: 1 }).catch(() => undefined);
  }
}

function unsuitable(message: string): StartError {
  return new StartError(message, { isSetting: true });
}
