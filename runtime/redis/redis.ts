/**
 * The three kinds of Redis connection of a process. They differ while Redis is down: a producer's commands
 * fail immediately, workers and subscribers wait until it is back.
 */
import { Cluster } from 'ioredis';
import type { Logger } from '../tracing/log.ts';
import { type ConnectionOptions, createRedis, type Redis } from './create-redis.ts';

export type { Redis } from './create-redis.ts';

const connectTimeoutMs = 5000;
/** A producer's command fails after this time. It may still have run. */
const commandTimeoutMs = 3000;
const retryDelayMs = { first: 50, most: 2000 };
/**
 * A connection is replaced if a reply takes longer: its server may have vanished with the machine, which TCP detects
 * only after many minutes. Workers block for up to 10 seconds.
 */
const silenceMaxMs = { producer: 5_000, others: 20_000 };
/**
 * How soon a subscriber notices that its master has become a replica. A replica only passes on messages while it is
 * connected to the new master, and its subscribers do not count as listeners there.
 */
const roleEveryMs = 1_000;
/** On the same machine, a server that ends closes its sockets. */
const localRoleEveryMs = 5_000;
/** The value that ioredis defines for this. */
const reconnectAndResend = 2;

/**
 * For short commands during a request. They fail immediately while Redis is down, and never hang.
 * @param url an address as in REDIS_URL
 */
export function connectProducer(url: string, logger: Logger): Redis {
  return connect(url, logger, {
    connectionName: 'hub-producer',
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: commandTimeoutMs,
    socketTimeout: silenceMaxMs.producer,
  });
}

/** For BullMQ's workers, whose commands block for as long as they need. */
export function connectWorker(url: string, logger: Logger): Redis {
  return connect(url, logger, {
    connectionName: 'hub-worker',
    maxRetriesPerRequest: null,
    socketTimeout: silenceMaxMs.others,
  });
}

/** For subscriptions, which resume after an outage of Redis. */
export function connectSubscriber(url: string, logger: Logger): Redis {
  const subscriber = connect(url, logger, {
    connectionName: 'hub-subscriber',
    maxRetriesPerRequest: null,
    socketTimeout: silenceMaxMs.others,
  });
  // It only listens, so otherwise it would notice neither the silence nor an error of a write.
  const everyMs = url.startsWith('/') ? localRoleEveryMs : roleEveryMs;
  const checking = setInterval(() => void leaveReplica(subscriber), everyMs);
  subscriber.once('end', () => clearInterval(checking));
  checking.unref();
  return subscriber;
}

/** Reconnects a subscriber whose master has become a replica. Never rejects. */
async function leaveReplica(subscriber: Redis): Promise<void> {
  if (subscriber.status !== 'ready') return;
  try {
    // All servers of a Cluster pass messages on to each other.
    if (subscriber instanceof Cluster) return void (await subscriber.ping());
    const [role] = await subscriber.role();
    if (role === 'slave' && subscriber.status === 'ready') subscriber.disconnect(true);
  } catch {
    // The server may not allow the question. A ping at least detects silence.
    await subscriber.ping().catch(() => undefined);
  }
}

/** Subscribes, with retries. ioredis resumes the subscription after outages. */
export function keepSubscribed(subscriber: Redis, channel: string): void {
  subscriber.subscribe(channel).catch(() => {
    if (subscriber.status === 'end') return;
    setTimeout(() => keepSubscribed(subscriber, channel), retryDelayMs.most).unref();
  });
}

/** Waits until the connection is ready. Returns false after `timeoutMs`. Never throws. */
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

function connect(url: string, logger: Logger, options: Omit<ConnectionOptions, 'retryStrategy'>): Redis {
  const redis = createRedis(url, {
    connectTimeout: connectTimeoutMs,
    retryStrategy: (tries) => Math.min(retryDelayMs.first * 2 ** Math.min(tries, 10), retryDelayMs.most),
    // A master that becomes a replica keeps its connections, so the client has to leave it.
    reconnectOnError: ({ message }) => (message.startsWith('READONLY') ? reconnectAndResend : false),
    ...options,
  });
  logAbsences(redis, logger, options.connectionName);
  return redis;
}

/** Logs one line when Redis goes down and one when it is back, not one per attempt. */
function logAbsences(redis: Redis, logger: Logger, connection: string | undefined): void {
  let away = false;
  // Without a listener, ioredis writes errors to the console.
  redis.on('error', (err) => {
    if (!away) logger.warn({ err, connection }, 'Redis is down; reconnecting');
    away = true;
  });
  redis.on('ready', () => {
    if (away) logger.info({ connection }, 'Redis is back');
    away = false;
  });
}
