/**
 * The three kinds of Redis connection a process may hold. They differ in what happens while Redis is away: who
 * produces is told at once, who works or listens waits until it is back.
 */
import { Redis, type RedisOptions } from 'ioredis';
import type { Logger } from '../tracing/log.ts';

export type { Redis } from 'ioredis';

/** Map replies come as flat arrays, which is what BullMQ reads. */
type ConnectionOptions = RedisOptions & { readonly replyMapping?: 'legacy' };

const connectTimeoutMs = 5000;
/** A producer's command that has no answer by then has failed; it may still have been carried out. */
const commandTimeoutMs = 3000;
const retryDelayMs = { first: 50, most: 2000 };

/**
 * For short commands on a request's path. Fails at once while Redis is away, and never hangs.
 * @param url as REDIS_URL has it: a URL, or the path of a socket
 */
export function connectProducer(url: string, logger: Logger): Redis {
  return connect(url, logger, {
    connectionName: 'hub-producer',
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: commandTimeoutMs,
  });
}

/** For BullMQ's workers, which block on their commands for as long as it takes. */
export function connectWorker(url: string, logger: Logger): Redis {
  return connect(url, logger, { connectionName: 'hub-worker', maxRetriesPerRequest: null });
}

/** For subscriptions, which come back by themselves after an absence of Redis. */
export function connectSubscriber(url: string, logger: Logger): Redis {
  return connect(url, logger, { connectionName: 'hub-subscriber', maxRetriesPerRequest: null });
}

/** Waits until the connection can be used; false when that takes longer than `timeoutMs`. Never throws. */
export function isReadyWithin(redis: Redis, timeoutMs: number): Promise<boolean> {
  if (redis.status === 'ready') return Promise.resolve(true);
  return new Promise((resolve) => {
    const onReady = (): void => {
      clearTimeout(timer);
      resolve(true);
    };
    const timer = setTimeout(() => {
      redis.off('ready', onReady);
      resolve(false);
    }, timeoutMs);
    redis.once('ready', onReady);
  });
}

function connect(url: string, logger: Logger, options: ConnectionOptions): Redis {
  const redis = new Redis(url, {
    connectTimeout: connectTimeoutMs,
    retryStrategy: (tries) => Math.min(retryDelayMs.first * 2 ** Math.min(tries, 10), retryDelayMs.most),
    ...options,
  });
  logAbsences(redis, logger, options.connectionName);
  return redis;
}

/** One line when Redis goes and one when it is back, instead of one for every attempt in between. */
function logAbsences(redis: Redis, logger: Logger, connection: string | undefined): void {
  let away = false;
  // Without a listener ioredis writes errors to the console itself.
  redis.on('error', (err) => {
    if (!away) logger.warn({ err, connection }, 'Redis is away; trying to reach it again');
    away = true;
  });
  redis.on('ready', () => {
    if (away) logger.info({ connection }, 'Redis is back');
    away = false;
  });
}
