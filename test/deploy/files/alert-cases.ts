/**
 * What the series of a hub look like when it is healthy and after each fault, with the alerts that must fire. A test
 * writes them into a file for `promtool test rules`, and another compares their labels with those of a real hub.
 */
import { requestSeconds } from '#runtime/tracing/metrics.ts';

/** As in `deploy/prometheus.yml`. */
const samplesPerMinute = 4;
/** Long enough for all rates of a rule to be steady, and for the longest range after the fault. */
const minutesBefore = 30;
const minutesAfter = 62;

/** Values of a series in the notation of promtool. */
type Values = string;
type AllSeries = Readonly<Record<string, Values>>;

export interface ExpectedAlert {
  readonly alert: string;
  /** Without `severity`. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly summary: string;
}

export interface AlertCase {
  readonly name: string;
  /** These series replace those of the healthy hub. */
  readonly series?: AllSeries;
  /** The processes whose series end at the fault. */
  readonly gone?: readonly string[];
  /** The minutes after the fault at which alerts are compared, and all that fire then. */
  readonly at: Readonly<Record<number, readonly ExpectedAlert[]>>;
}

const api = '127.0.0.1:3000';
const secondApi = '127.0.0.1:3001';
const runner = '127.0.0.1:9464';
const sweeper = '127.0.0.1:9465';

/** A value that changes at the fault. */
function gauge(before: number, after = before): Values {
  return `${phase(before, 0, minutesBefore)} ${phase(after, 0, minutesAfter)}`;
}

/** A counter with its growth per sample before and after the fault. */
function counter(before: number, after = before, start = 0): Values {
  const atFault = start + before * minutesBefore * samplesPerMinute;
  return `${phase(start, before, minutesBefore)} ${phase(atFault, after, minutesAfter)}`;
}

/** A counter that grows once, by so much. */
function jump(by: number, start = 0): Values {
  return gauge(start, start + by);
}

function phase(from: number, step: number, minutes: number): Values {
  return `${from}+${step}x${minutes * samplesPerMinute - 1}`;
}

function name(metric: string, instance: string, labels: Readonly<Record<string, string>> = {}): string {
  const pairs = Object.entries({ ...labels, instance, job: instance.includes(':3') ? 'api' : 'workers' });
  return `${metric}{${pairs.map(([label, value]) => `${label}="${value}"`).join(',')}}`;
}

function requests(status: number): string {
  const route = { method: 'POST', route: '/v1/redemptions' };
  return name('hub_http_requests_total', api, { ...route, status: `${status}` });
}

/** Requests of a route that take so many seconds each. */
function timed(method: string, route: string, before: number, after = before): AllSeries {
  return Object.fromEntries(
    [...requestSeconds, Infinity].map((bound) => {
      const labels = { le: bound === Infinity ? '+Inf' : `${bound}`, method, route };
      const bucket = name('hub_http_request_duration_seconds_bucket', api, labels);
      return [bucket, counter(before <= bound ? 10 : 0, after <= bound ? 10 : 0)];
    }),
  );
}

function ended(product: 'eval' | 'agent' | 'suite', instance: string, code = 'internal'): string {
  return name('hub_runs_total', instance, { product: `${product}-run`, outcome: 'failed', code });
}

function jobs(end: string): string {
  return name('hub_job_duration_seconds_count', runner, { queue: 'eval-runs', end });
}

const waiting = (queue: string, instance = api) =>
  name('hub_queue_oldest_waiting_seconds', instance, { queue });
const backupFailing = (step: string) => name('hub_backup_failing', api, { step });
const up = (dependency: string) => name('hub_dependency_up', api, { dependency });
const frozen = name('hub_frozen', api);
const announcedAgain = (reason: string) => name('hub_jobs_announced_again_total', sweeper, { reason });
const replacements = name('hub_redis_replacements_total', sweeper);

const slowRoute = '/v1/agents/:handle';

/** A hub with traffic, a few errors, and a Redis that was new when it started. */
const healthy: AllSeries = {
  [up('database')]: gauge(1),
  [up('redis')]: gauge(1),
  [requests(200)]: counter(150),
  [requests(404)]: counter(30),
  [requests(503)]: counter(1),
  ...timed('GET', slowRoute, 0.02),
  [waiting('eval-runs')]: gauge(20),
  [waiting('actor-wakes')]: gauge(0),
  [name('hub_actor_mailbox_depth', api)]: gauge(3),
  [frozen]: gauge(0),
  [name('hub_backup_age_seconds', api)]: gauge(21_000),
  // Of a process that has not reached the database yet.
  [name('hub_backup_age_seconds', secondApi)]: gauge(0),
  [backupFailing('copy')]: gauge(0),
  [backupFailing('check')]: gauge(0),
  [backupFailing('command')]: gauge(0),
  [name('hub_event_loop_lag_seconds', api)]: gauge(0.05),
  [name('hub_database_primary_changes_total', api)]: gauge(1),
  [ended('eval', api)]: gauge(0),
  [ended('agent', api)]: gauge(0),
  [ended('suite', api)]: gauge(0),
  [ended('eval', runner)]: gauge(2),
  [ended('agent', runner)]: gauge(0),
  [ended('suite', runner)]: gauge(0),
  [ended('eval', runner, 'target_unreachable')]: counter(1),
  [jobs('done')]: counter(15),
  [jobs('failed')]: counter(0.25),
  [name('hub_jobs_stalled_total', runner, { queue: 'eval-runs' })]: gauge(1),
  [name('hub_ledger_drift_accounts', sweeper)]: gauge(0),
  [name('hub_ledger_checks_total', sweeper)]: counter(7),
  [replacements]: gauge(1),
  [announcedAgain('new_redis')]: gauge(0),
  [announcedAgain('age')]: counter(500),
};

const fires = (alert: string, summary: string, labels: ExpectedAlert['labels'] = {}): ExpectedAlert => ({
  alert,
  labels,
  summary,
});
const runs = { queue: 'eval-runs' };
const workWaits = fires('HubWorkWaits', 'Work in eval-runs has waited for 6m 40s', runs);
const hubFrozen = fires('HubFrozen', 'The hub has been frozen for half an hour');
const redisReplaced = fires(
  'HubRedisReplaced',
  'Redis failed over or lost its data; every open job was published again',
);
const unchecked = fires('HubLedgerUnchecked', 'No sweeper reports that it checks the ledger');
const storeAway = (dependency: string) =>
  fires('HubStoreAway', `The API cannot use its ${dependency}`, { dependency });
const runsAreOurFault = (count: number) =>
  fires(
    'HubRunsAreOurFault',
    `${count} of the runs that ended within an hour failed because of an internal error`,
  );

/**
 * After a fault that replaces these series, nothing fires for so many minutes, and then these alerts, until the second
 * number of minutes if there is one.
 */
function fault(
  name: string,
  series: AllSeries,
  minutes: number | readonly [from: number, until: number],
  alerts: readonly ExpectedAlert[],
): AlertCase {
  const [from, until] = typeof minutes === 'number' ? [minutes] : minutes;
  const before = from === 0 ? {} : { [from - 1]: [] };
  return { name, series, at: { ...before, [from]: alerts, ...(until === undefined ? {} : { [until]: [] }) } };
}

export const alertCases: readonly AlertCase[] = [
  {
    name: 'a healthy hub, with long polls',
    series: {
      ...timed('GET', '/v1/notifications', 25),
      ...timed('GET', '/v1/runs/:id/cases/next', 20),
      ...timed('POST', '/v1/contact', 4),
      ...timed('POST', '/mcp', 20),
    },
    at: { 0: [], 30: [], 60: [] },
  },
  {
    name: 'every API process ends',
    gone: [api, secondApi],
    at: { 1: [], 2: [fires('HubDown', 'No API process of the hub reports metrics')] },
  },
  fault('balances drift', { [name('hub_ledger_drift_accounts', sweeper)]: gauge(0, 3) }, 0, [
    fires('HubLedgerDrift', 'Accounts whose balance disagrees with their lots and entries: 3'),
  ]),
  fault('Redis is away', { [up('redis')]: gauge(1, 0) }, 1, [storeAway('redis')]),
  fault('runs wait', { [waiting('eval-runs')]: gauge(20, 400) }, 5, [workWaits]),
  {
    name: 'a freeze',
    series: {
      [frozen]: gauge(0, 1),
      [waiting('eval-runs')]: gauge(20, 400),
      [requests(200)]: counter(150, 75),
      [requests(503)]: counter(1, 76),
    },
    at: { 29: [], 30: [hubFrozen], 60: [hubFrozen] },
  },
  {
    name: 'a freeze that ends',
    series: {
      [frozen]: gauge(1, 0),
      [waiting('eval-runs')]: gauge(400, 20),
      [requests(200)]: counter(75, 150),
      [requests(503)]: counter(76, 1),
    },
    at: { 0: [], 4: [], 5: [], 10: [] },
  },
  fault('a fifth fail', { [requests(200)]: counter(150, 114), [requests(503)]: counter(1, 36) }, 6, [
    fires('HubRequestsFail', '20% of requests fail with a 5xx status'),
  ]),
  fault('a route is slow', timed('GET', slowRoute, 0.02, 4), 11, [
    fires('HubRequestsSlow', `The p99 latency of ${slowRoute} is 4.975s`, { route: slowRoute }),
  ]),
  fault('an agent probes a slow target of its own', timed('POST', '/v1/probes', 0.02, 4), [11, 60], []),
  fault('jobs fail', { [jobs('failed')]: counter(0.25, 2) }, 13, [
    fires('HubJobsFail', 'Jobs of eval-runs fail and are retried', runs),
  ]),
  fault(
    'workers die',
    { [name('hub_jobs_stalled_total', runner, runs)]: jump(4, 1) },
    [0, 16],
    [fires('HubJobsStall', 'Workers of eval-runs die or hang', runs)],
  ),
  fault('a run has an internal error', { [ended('eval', runner)]: jump(1) }, [0, 61], [runsAreOurFault(1)]),
  fault(
    'runs of other products have some',
    { [ended('agent', api)]: jump(1), [ended('suite', runner)]: jump(2) },
    0,
    [runsAreOurFault(3)],
  ),
  fault('a mailbox fills', { [name('hub_actor_mailbox_depth', api)]: gauge(3, 6_000) }, 1, [
    fires('HubMailboxesFull', 'A mailbox holds 6000 commands; at 10,000 the hub refuses reservations'),
  ]),
  fault('the disk fills', { [name('hub_disk_free_share', sweeper)]: gauge(0.5, 0.08) }, 5, [
    fires('HubDiskFills', 'Free on the disk of the database: 8%'),
  ]),
  fault('an event loop is blocked', { [name('hub_event_loop_lag_seconds', api)]: gauge(0.05, 1.234567) }, 5, [
    fires('HubEventLoopLags', `The event loop of ${api} is blocked for 1.235s at a time`, { instance: api }),
  ]),
  { name: 'the only sweeper ends', gone: [sweeper], at: { 43: [], 45: [unchecked] } },
  {
    name: 'a sweeper does not check the ledger',
    series: { [name('hub_ledger_checks_total', sweeper)]: counter(7, 0) },
    at: { 43: [], 45: [unchecked] },
  },
  {
    name: 'the sweeper cannot reach the database either',
    series: { [up('database')]: gauge(1, 0), [name('hub_ledger_checks_total', sweeper)]: counter(7, 0) },
    at: { 60: [storeAway('database')] },
  },
  fault('the command of backups fails', { [backupFailing('command')]: gauge(0, 1) }, 5, [
    fires('HubBackupFails', 'The last scheduled backup failed at the step command', { step: 'command' }),
  ]),
  fault('backups stop', { [name('hub_backup_age_seconds', api)]: gauge(172_800, 183_660) }, 0, [
    fires('HubBackupOld', 'The last good backup is 2d 3h 1m 0s old'),
  ]),
  fault(
    'Redis fails over once',
    { [replacements]: jump(1, 1), [announcedAgain('new_redis')]: jump(40) },
    [0, 16],
    [redisReplaced],
  ),
  fault(
    'Redis fails over four times, with many open jobs',
    { [replacements]: jump(4, 1), [announcedAgain('new_redis')]: jump(6_000) },
    0,
    [
      redisReplaced,
      fires('HubRedisReplacedOften', 'Redis failed over or lost its data 4 times in an hour'),
      fires('HubJobsAnnouncedAgain', '6000 open jobs were published again after Redis was replaced'),
    ],
  ),
  fault(
    'Postgres fails over',
    { [name('hub_database_primary_changes_total', api)]: jump(1, 1) },
    [0, 16],
    [fires('HubDatabaseFailedOver', 'The hub switched to another Postgres primary')],
  ),
];

/** The series of a case by name. */
export function seriesOf({ series = {}, gone = [] }: AlertCase): AllSeries {
  const ends = (one: string) => gone.some((instance) => one.includes(`"${instance}"`));
  return Object.fromEntries(
    Object.entries({ ...healthy, ...series }).map(([one, values]) => [
      one,
      // Prometheus marks the series of a process that it can no longer scrape.
      ends(one) ? `${values.split(' ')[0]} stale` : values,
    ]),
  );
}

/** The minute of promtool's clock that is so many minutes after the fault. */
export function minuteAfterFault(minute: number): number {
  return minutesBefore + minute;
}
