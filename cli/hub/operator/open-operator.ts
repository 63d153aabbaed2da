/** What the commands of operators work on: the hub's own stores, found by the hub's own settings. */
import { join } from 'node:path';
import { openExistingDatabase } from '#db/open-existing-database.ts';
import type { DatabaseSetting } from '#db/database.ts';
import type { Ctx } from '#domain/context.ts';
import { hubRulesOf } from '#domain/hub-rules.ts';
import { systemClock } from '#runtime/clock.ts';
import { createLogger, type Logger } from '#runtime/tracing/log.ts';
import { privateRedisSocket } from '#runtime/redis/private-redis.ts';
import { connectProducer, type Redis } from '#runtime/redis/redis.ts';
import { parseSettings, type Settings } from '#runtime/settings/settings.ts';
import { StartError } from '#runtime/process/start-error.ts';
import { createHeldPublisher } from './held-publisher.ts';

export interface Operator {
  readonly settings: Settings;
  readonly ctx: Ctx;
  readonly logger: Logger;
  /**
   * The hub's Redis: the one at REDIS_URL, or the private one of the hub that runs on DATA_DIR.
   * @throws StartError when it does not answer
   */
  redis(): Promise<Redis>;
  /** Announces what was promised so far. It happens in the end by itself, unless something has to come after it. */
  announce(): Promise<void>;
  /** The address that `redis` goes to. */
  readonly redisUrl: string;
}

const redisWaitMs = 5_000;

/**
 * Opens the database and, once it is asked for, Redis; does `work`; then announces the jobs that it has promised, and closes.
 * @throws StartError when a store is not there or has another version's schema
 */
export async function withOperator<T>(work: (operator: Operator) => Promise<T>): Promise<T> {
  const settings = parseSettings(process.env);
  const db = await openExistingDatabase(databaseOf(settings));
  // What goes wrong is told by what the command says.
  const logger = createLogger({ name: 'hub', level: 'silent' });
  const redisUrl = settings.redisUrl ?? privateRedisSocket(join(settings.dataDir, 'redis'));
  const connections: Redis[] = [];
  const connect = async (): Promise<Redis | null> => {
    const [connection = connectProducer(redisUrl, logger)] = connections;
    connections[0] = connection;
    return (await isReachable(connection)) ? connection : null;
  };
  const publisher = createHeldPublisher(logger);
  try {
    const result = await work({
      settings,
      ctx: { db, clock: systemClock, rules: hubRulesOf(settings), publisher },
      logger,
      redis: async () => (await connect()) ?? Promise.reject(redisAway(settings, redisUrl)),
      announce: () => publisher.send(connect),
      redisUrl,
    });
    await publisher.send(connect);
    return result;
  } finally {
    for (const connection of connections) connection.disconnect();
    await db.close();
  }
}

/** Who asks by hand would rather be told at once than wait for a Redis to come up, so that its first word counts. */
function isReachable(redis: Redis): Promise<boolean> {
  if (redis.status === 'ready') return Promise.resolve(true);
  return new Promise((resolve) => {
    const settle = (isReady: boolean): void => {
      clearTimeout(timer);
      resolve(isReady);
    };
    const timer = setTimeout(() => settle(false), redisWaitMs);
    redis.once('ready', () => settle(true));
    redis.once('error', () => settle(false));
  });
}

/** @throws StartError in demo mode */
export function databaseOf({ database }: Settings): DatabaseSetting {
  if (database.kind !== 'none') return database;
  throw new StartError('DATABASE_URL is none: a demo keeps nothing that could be looked at or changed.', {
    isSetting: true,
  });
}

function redisAway({ redisUrl, dataDir }: Settings, place: string): StartError {
  return new StartError(
    redisUrl === null
      ? `No hub runs on ${dataDir}: its Redis does not answer at ${place}. Start the hub, or set DATA_DIR or REDIS_URL to those of one that runs.`
      : 'The Redis at REDIS_URL does not answer. Start it, or set REDIS_URL to that of the hub.',
  );
}
