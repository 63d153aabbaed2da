/** Checks before the start that the Redis at REDIS_URL can serve a hub. */
import { Cluster } from 'ioredis';
import { StartError } from '../process/start-error.ts';
import { createRedis, type Redis } from './create-redis.ts';
import { describeRedis } from './redis-address.ts';
import { tryWriteRedis } from './try-write.ts';

/** Required by BullMQ and by the actors' mailboxes. */
const leastVersion = { major: 6, minor: 2 };
const connectTimeoutMs = 5_000;
const commandTimeoutMs = 5_000;

/**
 * Connects, asks for the version and writes one short-lived key.
 * @throws StartError when Redis cannot be reached, denies access, rejects writes, deletes keys, or is too old
 */
export async function checkRedis(url: string): Promise<void> {
  const place = describeRedis(url);
  const redis = createRedis(url, {
    lazyConnect: true,
    connectTimeout: connectTimeoutMs,
    commandTimeout: commandTimeoutMs,
    connectionName: 'hub-start',
    retryStrategy: () => null,
    sentinelRetryStrategy: () => null,
    maxRetriesPerRequest: 0,
  });
  // The last error explains why a connection failed. The rejection only says that it was closed.
  let lastError: unknown;
  redis.on('error', (error: { lastNodeError?: unknown }) => (lastError = error.lastNodeError ?? error));
  try {
    await redis.connect();
    if (!(redis instanceof Cluster)) await refuseClusterNode(redis, place);
    const version = /^redis_version:(\S+)/m.exec(await redis.info('server'))?.[1] ?? 'unknown';
    if (isTooOld(version)) {
      throw new StartError(
        `Redis at ${place} is version ${version}; the hub needs ${leastVersion.major}.${leastVersion.minor} or later. ` +
          'Upgrade it, set REDIS_URL to another server, or unset REDIS_URL to use a private one.',
      );
    }
    refuseEviction(await redis.info('memory'), place);
    await tryWriteRedis(redis);
  } catch (error) {
    throw error instanceof StartError
      ? error
      : explain(place, {
          connectError: lastError ?? error,
          commandError: error,
          isSecure: url.startsWith('rediss'),
        });
  } finally {
    redis.disconnect();
  }
}

/** Rejects a server of a Cluster, whose other slots are on other servers. */
async function refuseClusterNode(redis: Redis, place: string): Promise<void> {
  if (!/^cluster_enabled:1/m.test(await redis.info('cluster'))) return;
  throw new StartError(
    `Redis at ${place} belongs to a Cluster. Set REDIS_URL to redis+cluster://host:port,host:port with some of its servers.`,
    { isSetting: true },
  );
}

/** A server that is full must refuse writes. One that deletes keys instead loses jobs and locks without a word. */
function refuseEviction(memory: string, place: string): void {
  const limit = Number(/^maxmemory:(\d+)/m.exec(memory)?.[1] ?? 0);
  const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1] ?? 'noeviction';
  if (limit === 0 || policy === 'noeviction') return;
  throw new StartError(
    `Redis at ${place} deletes keys when its ${limit} bytes are full (maxmemory-policy ${policy}), and would lose jobs. ` +
      'Set maxmemory-policy to noeviction.',
  );
}

function isTooOld(version: string): boolean {
  const [major = Number.NaN, minor = Number.NaN] = version.split('.').map(Number);
  if (Number.isNaN(major) || Number.isNaN(minor)) return false; // Another implementation. The test write shows whether it works.
  return major < leastVersion.major || (major === leastVersion.major && minor < leastVersion.minor);
}

/** The clients for Sentinels and Clusters do not report why their connections failed. */
const certificateHint =
  ' Its certificate must be trusted: if a private authority has issued it, start each process with ' +
  "NODE_EXTRA_CA_CERTS set to the file with that authority's certificate.";

interface Failure {
  readonly connectError: unknown;
  readonly commandError: unknown;
  readonly isSecure: boolean;
}

function explain(place: string, { connectError, commandError, isSecure }: Failure): StartError {
  const said = [connectError, commandError].map(messageOf).join('\n');
  if (/\b(NOAUTH|WRONGPASS|ERR AUTH|invalid password|invalid username-password)/i.test(said)) {
    return new StartError(`Redis at ${place} rejected the user or the password in REDIS_URL. Correct them.`, {
      isSetting: true,
      cause: commandError,
    });
  }
  if (/cluster support disabled/i.test(said)) {
    return new StartError(
      `Redis at ${place} has no cluster mode. Set REDIS_URL to redis://host:port if it is a single server.`,
      { isSetting: true, cause: commandError },
    );
  }
  if (/\bNOPERM\b/.test(said)) {
    return new StartError(
      `Redis at ${place}: the user in REDIS_URL lacks permissions. Grant it \`+@all ~hub:* &hub:*\`, or use another user.`,
      { isSetting: true, cause: commandError },
    );
  }
  if (/\bREADONLY\b/.test(said)) {
    return new StartError(
      `Redis at ${place} is a read-only replica. Set REDIS_URL to its primary, or promote it.`,
      { cause: commandError },
    );
  }
  if (/\b(MISCONF|OOM|LOADING|CLUSTERDOWN)\b/.test(said)) {
    return new StartError(
      `Redis at ${place} does not accept writes (${firstLine(said)}). Fix it, or set REDIS_URL to another server.`,
      { cause: commandError },
    );
  }
  return new StartError(
    `Redis at ${place} cannot be reached or does not respond (${firstLine(said)}). Start it, set REDIS_URL to another ` +
      `server, or unset REDIS_URL to use a private one.${isSecure ? certificateHint : ''}`,
    { cause: commandError },
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const saidCharactersMax = 120;

function firstLine(text: string): string {
  return (text.split('\n', 1)[0] ?? '').slice(0, saidCharactersMax);
}
