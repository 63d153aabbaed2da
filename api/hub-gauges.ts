/**
 * What the stores tell of the hub as a whole when `/metrics` is asked: queues, the jobs that wait, mailboxes, and whether
 * the stores are there. Every API process tells the same, so a dashboard takes the greatest and not the sum.
 */
import type { Queue } from 'bullmq';
import { checkReadiness } from '#domain/check-readiness.ts';
import { queueNames } from '#domain/jobs/queue-names.ts';
import { readQueueBacklog } from '#domain/jobs/read-queue-backlog.ts';
import { gauge, Registry } from '#runtime/tracing/metrics.ts';
import { redisNames } from '#runtime/redis/redis-names.ts';
import { countQueueJobs, openQueues, viewQueue } from '#runtime/jobs/inspect-queue.ts';
import type { Redis } from '#runtime/redis/redis.ts';
import { within } from '#runtime/within.ts';
import type { ApiDeps } from './deps.ts';

/** A scrape waits no longer for one of the stores, and then says that it is away. */
const readTimeoutMs = 2_000;
/** Scrapes in quick succession are told the same. */
const freshForMs = 500;
/** Mailboxes whose depth is looked at, those with the oldest mail. */
const mailboxesMax = 100;

type Deps = Pick<ApiDeps, 'db' | 'clock' | 'redis' | 'logger'>;

export interface HubGauges {
  /** Brings the numbers up to date and gives them. Never rejects. */
  refresh(): Promise<Registry>;
}

const gaugesOfDeps = new WeakMap<Deps, HubGauges>();

export function hubGaugesOf(deps: Deps): HubGauges {
  const known = gaugesOfDeps.get(deps);
  if (known !== undefined) return known;
  const made = createHubGauges(deps);
  gaugesOfDeps.set(deps, made);
  return made;
}

function createHubGauges(deps: Deps): HubGauges {
  const registry = new Registry();
  const gauges = declareGauges(registry);
  let refreshing: Promise<void> | null = null;
  let refreshedAt = -Infinity;

  async function refresh(): Promise<void> {
    const redis = deps.redis;
    const unready = await checkReadiness(deps.db, redis === null ? null : () => redis.ping());
    const away = new Set(unready.map(({ check }) => check));
    gauges.up.set({ dependency: 'database' }, away.has('database') || away.has('migrations') ? 0 : 1);
    gauges.up.set({ dependency: 'redis' }, away.has('redis') || redis === null ? 0 : 1);
    if (redis === null) return;
    const queues = openQueues(redis, queueNames, deps.logger);
    const isAway = away.has('redis');
    if (isAway) gauges.forgetRedis();
    await Promise.all([
      ...(isAway
        ? []
        : [refreshMailboxes(redis, gauges), ...queues.map((queue) => refreshQueue(queue, gauges))]),
      ...queues.map((queue) => refreshBacklog(deps, isAway ? null : redis, queue, gauges)),
    ]);
    refreshedAt = performance.now();
  }

  return {
    refresh: async () => {
      if (performance.now() - refreshedAt > freshForMs) {
        refreshing ??= within(readTimeoutMs * 2, refresh(), () => new Error('The stores did not answer.'))
          .catch((err: unknown) => deps.logger.warn({ err }, 'some metrics could not be read'))
          .finally(() => (refreshing = null));
        await refreshing;
      }
      return registry;
    },
  };
}

type Gauges = ReturnType<typeof declareGauges>;

function declareGauges(registry: Registry) {
  const own = <Label extends string = never>(name: string, help: string, labels: readonly Label[] = []) =>
    gauge(name, help, labels, registry);
  const jobs = own('hub_queue_jobs', 'Jobs in a queue by state, as the queue tells it.', ['queue', 'state']);
  const mailboxes = own('hub_actor_mailboxes', 'Actors that have mail.');
  const mailboxDepth = own('hub_actor_mailbox_depth', 'Commands in the fullest of the oldest 100 mailboxes.');
  return {
    up: own('hub_dependency_up', 'Whether a store answers this process: 1 or 0.', ['dependency']),
    jobs,
    mailboxes,
    mailboxDepth,
    open: own('hub_jobs_open', 'Jobs promised and not yet done, as the database tells it; at most 100,000.', [
      'queue',
    ]),
    oldestWaiting: own(
      'hub_queue_oldest_waiting_seconds',
      'For how long the oldest job that is due has waited for a worker; 0 when none waits.',
      ['queue'],
    ),
    /** Rather no numbers than old ones. */
    forgetRedis: () => {
      for (const one of [jobs, mailboxes, mailboxDepth]) one.reset();
    },
  };
}

async function refreshQueue(queue: Queue, { jobs }: Gauges): Promise<void> {
  const counts = await countQueueJobs(queue);
  for (const [state, count] of Object.entries(counts)) jobs.set({ queue: queue.name, state }, count);
}

/** @param redis null while it is away */
async function refreshBacklog(deps: Deps, redis: Redis | null, queue: Queue, gauges: Gauges): Promise<void> {
  const view = redis === null ? null : viewQueue(redis, queue);
  const { open, oldestWaitingMs } = await readQueueBacklog(deps, queue.name, view);
  if (open !== null) gauges.open.set({ queue: queue.name }, open);
  gauges.oldestWaiting.set({ queue: queue.name }, oldestWaitingMs / 1000);
}

async function refreshMailboxes(redis: Redis, { mailboxes, mailboxDepth }: Gauges): Promise<void> {
  mailboxes.set(await redis.zcard(redisNames.mailboxes));
  const oldest = await redis.zrange(redisNames.mailboxes, 0, String(mailboxesMax - 1));
  const depths = await Promise.all(oldest.map((address) => redis.xlen(redisNames.mailbox + address)));
  mailboxDepth.set(Math.max(0, ...depths));
}
