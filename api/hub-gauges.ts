/**
 * Gauges for the whole hub, read from the stores when `/metrics` is scraped: queues, pending jobs, mailboxes
 * and whether the stores are up. Every API process reports the same values, so dashboards take the maximum,
 * not the sum.
 */
import type { Queue } from 'bullmq';
import { backupSteps } from '#db/schema/operation-tables.ts';
import { readBackupState } from '#domain/backups/claim-backup.ts';
import { readFreeze } from '#db/transaction.ts';
import { queueNames } from '#domain/jobs/job-kinds.ts';
import { readQueueBacklog } from '#domain/jobs/read-queue-backlog.ts';
import { gauge, Registry } from '#runtime/tracing/metrics.ts';
import { mailboxShards, redisNames } from '#runtime/redis/redis-names.ts';
import { countQueueJobs, oldestWaitingMs } from '#runtime/jobs/inspect-queue.ts';
import { openQueue } from '#runtime/jobs/open-queue.ts';
import type { Redis } from '#runtime/redis/redis.ts';
import { within } from '#runtime/within.ts';
import type { ApiDeps } from './deps.ts';
import { createReadiness, type Readiness } from '#domain/check-readiness.ts';
import { probeOfRedis } from '#runtime/redis/try-write.ts';

/** A store that does not respond within this time is reported as down. */
const readTimeoutMs = 2_000;
/** Scrapes within this time get the same values. */
const freshForMs = 500;
/** How many mailboxes of each shard are measured, starting with the oldest commands. */
const mailboxesPerShard = 2;

type Deps = Pick<ApiDeps, 'db' | 'clock' | 'redis' | 'logger'>;

export interface HubGauges {
  /** Updates the gauges and returns them. Never rejects. */
  refresh(): Promise<Registry>;
}

const gaugesOfDeps = new WeakMap<Deps, HubGauges>();

export function hubGaugesOf(deps: Deps): HubGauges {
  return gaugesOfDeps.getOrInsertComputed(deps, createHubGauges);
}

function createHubGauges(deps: Deps): HubGauges {
  const registry = new Registry();
  const gauges = declareGauges(registry);
  let refreshing: Promise<void> | null = null;
  let refreshedAt = -Infinity;

  async function refresh(): Promise<void> {
    const redis = deps.redis;
    const unready = await readinessOf(deps).check();
    const away = new Set(unready.map(({ check }) => check));
    gauges.up.set({ dependency: 'database' }, away.has('database') || away.has('migrations') ? 0 : 1);
    gauges.up.set({ dependency: 'redis' }, away.has('redis') || redis === null ? 0 : 1);
    if (!away.has('database') && !away.has('migrations')) await refreshOperation(deps, gauges);
    if (redis === null) return;
    const queues = queueNames.map((name) => openQueue(redis, name, deps.logger));
    const isAway = away.has('redis');
    if (isAway) gauges.forgetRedis();
    await Promise.all([
      ...(isAway
        ? []
        : [refreshMailboxes(redis, gauges), ...queues.map((queue) => refreshQueue(queue, gauges))]),
      ...queues.map((queue) => refreshBacklog(deps, isAway, queue, gauges)),
    ]);
    refreshedAt = performance.now();
  }

  return {
    refresh: async () => {
      if (performance.now() - refreshedAt > freshForMs) {
        refreshing ??= within(readTimeoutMs * 2, refresh(), () => new Error('The stores did not respond.'))
          .catch((err: unknown) => deps.logger.warn({ err }, 'could not read some metrics'))
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
  const jobs = own('hub_queue_jobs', 'Jobs in a queue by state, according to Redis.', ['queue', 'state']);
  const mailboxes = own('hub_actor_mailboxes', 'Actors with unread commands.');
  const mailboxDepth = own(
    'hub_actor_mailbox_depth',
    'Commands in the fullest mailbox, of the two oldest per shard.',
  );
  return {
    up: own('hub_dependency_up', 'Whether this process can reach the store: 1 or 0.', ['dependency']),
    jobs,
    mailboxes,
    mailboxDepth,
    open: own('hub_jobs_open', 'Jobs not yet done, according to the database; at most 100,000.', ['queue']),
    oldestWaiting: own(
      'hub_queue_oldest_waiting_seconds',
      'How long the oldest due job, without runs at work, has not been done; 0 when there is none.',
      ['queue'],
    ),
    frozen: own('hub_frozen', 'Whether the hub is frozen: 1 or 0.'),
    backupAge: own(
      'hub_backup_age_seconds',
      'Age of the last good scheduled backup; 0 before the first one.',
    ),
    backupFailing: own(
      'hub_backup_failing',
      'Whether the last scheduled backup failed at the step: 1 or 0.',
      ['step'],
    ),
    /** No values are better than stale ones. */
    forgetRedis: () => {
      for (const one of [jobs, mailboxes, mailboxDepth]) one.reset();
    },
  };
}

async function refreshOperation(
  { db, clock }: Deps,
  { frozen, backupAge, backupFailing }: Gauges,
): Promise<void> {
  const [freeze, { last, lastGood }] = await Promise.all([readFreeze(db), readBackupState({ db, clock })]);
  frozen.set(freeze === null ? 0 : 1);
  const ageMs = lastGood === null ? 0 : clock.now().getTime() - lastGood.startedAt.getTime();
  backupAge.set(ageMs / 1_000);
  for (const step of backupSteps) backupFailing.set({ step }, last?.failedStep === step ? 1 : 0);
}

async function refreshQueue(queue: Queue, { jobs }: Gauges): Promise<void> {
  const counts = await countQueueJobs(queue);
  for (const [state, count] of Object.entries(counts)) jobs.set({ queue: queue.name, state }, count);
}

async function refreshBacklog(deps: Deps, isAway: boolean, queue: Queue, gauges: Gauges): Promise<void> {
  const ofWakes = isAway ? null : () => oldestWaitingMs(queue);
  const backlog = await readQueueBacklog(deps, queue.name, ofWakes);
  if (backlog.open !== null) gauges.open.set({ queue: queue.name }, backlog.open);
  gauges.oldestWaiting.set({ queue: queue.name }, backlog.oldestWaitingMs / 1000);
}

async function refreshMailboxes(redis: Redis, { mailboxes, mailboxDepth }: Gauges): Promise<void> {
  const shards = mailboxShards.map(redisNames.mailboxes);
  const counts = await Promise.all(shards.map((key) => redis.zcard(key)));
  mailboxes.set(counts.reduce((sum, count) => sum + count, 0));
  const oldest = await Promise.all(shards.map((key) => redis.zrange(key, 0, String(mailboxesPerShard - 1))));
  const depths = oldest.flat().map((address) => redis.xlen(redisNames.mailbox(address)));
  mailboxDepth.set(Math.max(0, ...(await Promise.all(depths))));
}

type Stores = Pick<ApiDeps, 'db' | 'redis'>;

const readinesses = new WeakMap<Stores, Readiness>();

/** One for each process: its ports share the checks. */
export function readinessOf(deps: Stores): Readiness {
  return readinesses.getOrInsertComputed(deps, ({ db, redis }) =>
    createReadiness(db, redis === null ? null : probeOfRedis(redis)),
  );
}
