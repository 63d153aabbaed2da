/**
 * The hub's own parameters in `DATABASE_URL`: the size of each process's pool, and whether a pooler such as pgbouncer
 * assigns a server connection per transaction. Behind such a pooler, nothing may outlive a transaction on a connection:
 * no prepared statements, no timeouts set on connecting, no session locks.
 */
import { SQL } from 'bun';
import {
  defaultPoolSize,
  type PoolParameters,
  readPoolParameters,
} from '#runtime/settings/pool-parameters.ts';

/** For a URL that the settings have accepted. */
export function pooledUrlOf(given: string): PoolParameters {
  const url = URL.parse(given);
  if (url === null) return { url: given, isPooled: false, poolSize: defaultPoolSize };
  const pooled = readPoolParameters(url);
  if (pooled === null) throw new RangeError('DATABASE_URL has a parameter with an invalid value.');
  return pooled;
}

const probesMax = 3;
const probeTimeoutSeconds = 5;

/** The server is a pooler that assigns a server connection per transaction, and the URL does not say so. */
export class PoolModeMissingError extends Error {
  override readonly name = 'PoolModeMissingError';
}

/**
 * Without the setting, a prepared statement would fail later, with an unhelpful message.
 * @throws PoolModeMissingError
 */
export async function requirePoolMode(given: string): Promise<void> {
  const { url, isPooled } = pooledUrlOf(given);
  if (isPooled || !(await isBehindTransactionPooler(url))) return;
  throw new PoolModeMissingError('The pooler assigns a server connection per transaction.');
}

/** Two open connections share a server process only behind a transaction pooler. */
async function isBehindTransactionPooler(url: string): Promise<boolean> {
  const options = { url, max: 1, prepare: false, connectionTimeout: probeTimeoutSeconds } as const;
  const [one, other] = [new SQL(options), new SQL(options)];
  try {
    for (let probe = 0; probe < probesMax; probe += 1) {
      const [first, second] = [await backendOf(one), await backendOf(other)];
      if (first === second) return true;
    }
    return false;
  } finally {
    await Promise.all([one, other].map((client) => client.close({ timeout: 1 }).catch(() => undefined)));
  }
}

async function backendOf(client: SQL): Promise<number> {
  const [row] = (await client`select pg_backend_pid() as pid`) as { pid: number }[];
  return row?.pid ?? 0;
}
