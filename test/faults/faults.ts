/** The table of faults: each disturbance with the refusals that callers may get while it lasts. */
import type { Dialect } from '#db/dialect.ts';
import type { Random } from '#evals/random.ts';
import { hostileClientKinds } from '#test/workload/disturbances/clients.ts';
import { shiftClock } from '#test/workload/disturbances/clock.ts';
import { fillDisk } from '#test/workload/disturbances/disk.ts';
import type { Disturbance } from '#test/workload/disturbances/disturbance.ts';
import { failoversOf } from '#test/workload/disturbances/failover.ts';
import {
  cutConnections,
  delayPackets,
  losePackets,
  splitPackets,
  stallNetwork,
} from '#test/workload/disturbances/network.ts';
import { demoteRedis, fillRedis, killRedis, stopRedis } from '#test/workload/disturbances/redis.ts';
import {
  endPostgresSessions,
  failOverPostgres,
  killPostgres,
  lockSqlite,
  makePostgresReadOnly,
} from '#test/workload/disturbances/store.ts';

export interface Fault {
  readonly disturbance: Disturbance;
  /** The stores it applies to. */
  readonly dialects: readonly Dialect[];
  /** Error codes allowed from its start until the hub has recovered. With none, every request must succeed. */
  readonly refusals: readonly string[];
  /** An error code that some caller must get, for faults that requests could miss. */
  readonly mustRefuse?: string;
  /** Set if the usual time is too short to show an effect. */
  readonly durationMs?: number;
  /** The requests of the clients. */
  readonly mixes?: readonly ('few' | 'runs' | 'offices' | 'threads')[];
}

export const bothStores: readonly Dialect[] = ['sqlite', 'postgres'];

/** Requests wait up to two seconds for Redis. */
const longerThanRequestsWaitMs = 2_500;

/** Only seats need Redis. */
const redis = { dialects: bothStores, refusals: ['queue_unavailable'] };
const store = { refusals: ['database_unavailable', 'queue_unavailable'] };
const harmless = { dialects: bothStores, refusals: [], durationMs: 800 };
const postgres = { ...store, dialects: ['postgres'] } as const;

export const redisFaults: readonly Fault[] = [
  { ...redis, disturbance: killRedis },
  { ...redis, disturbance: stopRedis, durationMs: longerThanRequestsWaitMs },
  { ...redis, disturbance: fillRedis },
  { ...redis, disturbance: demoteRedis },
];

export const redisNetworkFaults: readonly Fault[] = [
  { ...redis, disturbance: cutConnections('Redis') },
  { ...redis, disturbance: losePackets('Redis'), durationMs: longerThanRequestsWaitMs },
  { ...harmless, disturbance: delayPackets('Redis', 200) },
  { ...harmless, disturbance: splitPackets('Redis') },
];

/** Jobs of all kinds are in progress, because a replica may lack them. */
export function failoverFaults(random: Random): readonly Fault[] {
  const mixes = ['few', 'runs', 'offices'] as const;
  // While Redis is away, runs wait, and an agent may have only a few open at once.
  const refusals = [...redis.refusals, 'too_many_open_jobs'];
  return failoversOf(random).map((disturbance) => ({ ...redis, refusals, disturbance, mixes }));
}

export const sqliteFaults: readonly Fault[] = [
  { ...store, dialects: ['sqlite'], disturbance: lockSqlite, durationMs: 3_000 },
];

export const postgresFaults: readonly Fault[] = [
  { ...postgres, disturbance: killPostgres },
  { ...postgres, disturbance: endPostgresSessions },
  { ...postgres, disturbance: makePostgresReadOnly },
];

/** For a hub whose Postgres has a standby; it can fail over once. */
export const postgresFailover: Fault = { ...postgres, disturbance: failOverPostgres };

export const postgresNetworkFaults: readonly Fault[] = [
  { ...postgres, disturbance: stallNetwork('Postgres') },
  { ...postgres, disturbance: losePackets('Postgres') },
  { ...harmless, dialects: ['postgres'], disturbance: delayPackets('Postgres', 100) },
  { ...harmless, dialects: ['postgres'], disturbance: splitPackets('Postgres') },
];

const fullDisk = {
  ...store,
  disturbance: fillDisk,
  mustRefuse: 'database_unavailable',
  // Clients that reserve seats soon only wait for Redis, and small writes fit into pages that Postgres already has.
  mixes: ['few', 'threads'],
} as const;
export const diskFaults: readonly Fault[] = [
  { ...fullDisk, dialects: ['sqlite'], durationMs: 3_000 },
  { ...fullDisk, dialects: ['postgres'], durationMs: 4_000 },
];

export const clientFaults: readonly Fault[] = hostileClientKinds.map((disturbance) => ({
  ...harmless,
  disturbance,
}));

export const clockFaults: readonly Fault[] = (['api', 'workers'] as const).flatMap((role) =>
  ([1, -1] as const).map((days) => ({ ...harmless, disturbance: shiftClock(role, days), durationMs: 1_500 })),
);
