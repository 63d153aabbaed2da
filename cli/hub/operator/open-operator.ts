/** Opens the hub's own stores for operator commands, using the hub's settings. */
import { join } from 'node:path';
import { commandEnvironment } from '#cli/running-hub.ts';
import type { DatabaseSetting } from '#db/database.ts';
import { openExistingDatabase } from '#db/open-existing-database.ts';
import type { Ctx } from '#domain/context.ts';
import { hubRulesOf } from '#domain/hub-rules.ts';
import { readStoredSettings } from '#domain/settings/change-setting.ts';
import type { JobNotice, JobPublisher } from '#domain/jobs/job-kinds.ts';
import { withStored } from '#runtime/settings/changeable-settings.ts';
import { systemClock } from '#runtime/clock.ts';
import { StartError } from '#runtime/process/start-error.ts';
import { privateRedisSocket } from '#runtime/redis/private-redis.ts';
import { connectProducer, type Redis } from '#runtime/redis/redis.ts';
import { parseSettings, type Settings } from '#runtime/settings/settings.ts';
import { createLogger, type Logger } from '#runtime/tracing/log.ts';

export interface Operator {
  readonly settings: Settings;
  readonly ctx: Ctx;
  readonly logger: Logger;
  /**
   * The Redis at REDIS_URL, or the private Redis of the hub that runs on DATA_DIR.
   * @throws StartError when it does not respond
   */
  redis(): Promise<Redis>;
  /**
   * Publishes the jobs enqueued so far. Happens automatically at the end; call it if something must come
   * after it.
   */
  announce(): Promise<void>;
  /** The address that `redis` connects to. */
  readonly redisUrl: string;
}

const redisWaitMs = 5_000;

/**
 * Opens the database and, on demand, Redis; runs `work`; then publishes the jobs it enqueued, and closes.
 * @throws StartError when a store is missing or has the schema of another version
 */
export async function withOperator<T>(work: (operator: Operator) => Promise<T>): Promise<T> {
  const settings = parseSettings(commandEnvironment());
  const db = await openExistingDatabase(databaseOf(settings));
  const current = withStored(settings, await readStoredSettings(db));
  // The output of the command reports failures.
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
      settings: current,
      ctx: { db, clock: systemClock, rules: hubRulesOf(settings, { current: () => current }), publisher },
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

/**
 * A person at a terminal wants to know immediately rather than wait for Redis to come up, so the first result
 * counts.
 */
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
  throw new StartError(
    'DATABASE_URL is none: demo mode stores nothing that this command could read or change.',
    {
      isSetting: true,
    },
  );
}

function redisAway({ redisUrl, dataDir }: Settings, place: string): StartError {
  return new StartError(
    redisUrl === null
      ? `No hub is running on ${dataDir}: its Redis at ${place} does not respond. Start the hub, or set DATA_DIR or REDIS_URL to those of a running hub.`
      : 'The Redis at REDIS_URL does not respond. Start it, or set REDIS_URL to the Redis of the hub.',
  );
}

/**
 * Holds back the jobs that a command enqueues and publishes them at the end, so that most commands need no
 * Redis.
 */
interface HeldPublisher extends JobPublisher {
  /**
   * Publishes the jobs. Without a Redis nothing is lost: the sweeper publishes them within half a minute.
   */
  send(connect: () => Promise<Redis | null>): Promise<void>;
}

function createHeldPublisher(logger: Logger): HeldPublisher {
  const notices: JobNotice[] = [];
  const topics = new Set<string>();
  return {
    publish: (some) => void notices.push(...some),
    signal: (topic) => void topics.add(topic),
    send: async (connect) => {
      if (notices.length === 0 && topics.size === 0) return;
      const redis = await connect();
      if (redis === null) return;
      // Few commands enqueue jobs, and BullMQ takes a while to load.
      const { createJobPublisher } = await import('#runtime/jobs/job-publisher.ts');
      const publisher = createJobPublisher(redis, logger);
      publisher.publish(notices.splice(0));
      for (const topic of topics) publisher.signal(topic);
      topics.clear();
      await publisher.close();
    },
  };
}
