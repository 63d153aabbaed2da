/**
 * Kills the API and the workers of a hub again and again, each time at another step, while clients send everything that
 * commits, charges, sells or notifies. The seed determines the actions and the points but not their timing, so repeat a
 * seed that failed a few times.
 */
import { expect } from 'bun:test';
import { join } from 'node:path';
import type { Dialect } from '#db/dialect.ts';
import { createRandom } from '#evals/random.ts';
import type { CrashPoint } from '#runtime/process/crash-points.ts';
import { freePorts } from '#test/harness/free-ports.ts';
import type { HubProcessOptions } from '#test/harness/hub-process.ts';
import { openScratchStore, type ScratchStore } from '#test/harness/stores.ts';
import { type ClientGroup, startClients } from '#test/workload/clients.ts';
import { expectAtRest, expectDelivered, expectMailed } from '#test/workload/expect-at-rest.ts';
import { expectKept } from '#test/workload/expect-kept.ts';
import { startPlayers } from '#test/workload/players.ts';
import { type PopulatedHub, type PopulationSize, populate } from '#test/workload/population.ts';
import { keepFailingOver } from '#test/workload/disturbances/failover.ts';
import { chosenRedisKind, startRedisUnderTest } from '#test/workload/redis-under-test.ts';
import { createWitness, type Witness } from '#test/workload/witness.ts';
import { poolNames } from '#workers/pool-registry.ts';
import { type Death, deathsOf, isAboutMail, type Role, roles } from './crash-plan.ts';
import { createTally, type Tally } from './tally.ts';
import { runVictim, type Survivor, type Timing, type VictimOptions } from './victim.ts';

export interface CrashOptions {
  readonly dialect: Dialect;
  readonly seed: string;
  /** Of all processes together. */
  readonly kills: number;
  /** Starts more clients and processes, books office hours, and waits for retries of mail. */
  readonly isLong: boolean;
}

interface Size {
  readonly population: PopulationSize;
  /** Processes per role. While one restarts, the other serves. */
  readonly laneCount: number;
  /** Upper bound of `Death.afterSteps`. A request passes about 6 points. */
  readonly afterStepsMax: number;
  readonly onPassMax: number;
  readonly clients: readonly ClientGroup[];
  /** The pause between the runs of a player. */
  readonly playerPauseMs: number;
  /** In a long run longer than the 30 seconds for which a dead request holds its key. */
  readonly lastResponsesMs: number;
  readonly timing: Timing;
  readonly restMaxMs: number;
}

const sizes: Readonly<Record<'long' | 'short', Size>> = {
  long: {
    // Each agent that books a slot for the first time causes an email, and these must last for an hour.
    population: { eventCount: 9, officeCount: 240, playerCount: 4 },
    laneCount: 2,
    afterStepsMax: 6_000,
    onPassMax: Infinity,
    clients: [
      { mix: 'seats', count: 24, pauseMs: 50, waitingMax: 4 },
      { mix: 'offices', count: 3, pauseMs: 200, waitingMax: 4 },
      { mix: 'runs', count: 2, pauseMs: 1_500, waitingMax: 10 },
      { mix: 'writes', count: 24, pauseMs: 20, waitingMax: 20 },
    ],
    playerPauseMs: 1_000,
    lastResponsesMs: 40_000,
    timing: { afterMs: 20_000, reachMs: 10_000, lifeMs: 60_000 },
    restMaxMs: 180_000,
  },
  short: {
    population: { eventCount: 3, playerCount: 2 },
    laneCount: 1,
    afterStepsMax: 0,
    onPassMax: 4,
    clients: [
      { mix: 'seats', count: 6, pauseMs: 25 },
      { mix: 'runs', count: 1, pauseMs: 100 },
      { mix: 'writes', count: 5, pauseMs: 25, waitingMax: 4 },
    ],
    playerPauseMs: 100,
    lastResponsesMs: 4_000,
    timing: { afterMs: 0, reachMs: 4_000, lifeMs: 20_000 },
    restMaxMs: 90_000,
  },
};
const responseMaxMs = 30_000;
const progressEveryMs = 15_000;
/** Refusals while a process or Redis is away, when runs pile up. */
const refusals = ['queue_unavailable', 'database_unavailable', 'too_many_open_jobs'];

/** Rejects if the hub broke a promise. */
export async function runCrashes({ dialect, seed, kills, isLong }: CrashOptions) {
  const startedAt = performance.now();
  const size = sizes[isLong ? 'long' : 'short'];
  const store = await openScratchStore(dialect);
  const redis = await startRedisUnderTest({ kind: chosenRedisKind() });
  const population = await populate(store.db, size.population);
  const { urls, processes } = await planProcesses(store, redis.url, population, size.laneCount);
  const isPlanned = (point: CrashPoint): boolean =>
    isLong || !(isAboutMail(point) || point === 'jobs.announced-again');
  const tally = createTally();
  const witness = createWitness(responseMaxMs);
  const clients = startClients({ urls, groups: size.clients, seed, population, witness });
  const { players: agents } = population;
  const players = startPlayers({ db: store.db, urls, agents, pauseMs: size.playerPauseMs, witness });
  const victims = startVictims({ kills, size, seed, processes, tally, isPlanned });
  const endFailovers = keepFailingOver(redis, createRandom(seed, 'failovers'));
  const showProgress = (): void => console.log(progressLine(startedAt, tally, witness));
  const progress = isLong ? setInterval(showProgress, progressEveryMs) : null;
  try {
    await victims.died();
    const failovers = await endFailovers();
    const lastDeathAt = performance.now();
    // Printed before the checks, so that a failed run shows it too.
    if (isLong) console.log(tally.table());
    await clients.end(size.lastResponsesMs);
    const played = await players.end();
    await expectAtRest(store.db, size.restMaxMs);
    const restAfterMs = Math.round(performance.now() - lastDeathAt);
    expect(witness.unexpected(refusals)).toEqual([]);
    await expectKept(store.db, witness.outcomes);
    await expectDelivered(store.db, population.receiver);
    await expectMailed(store.db, join(population.dataDir, 'mail'));
    const { outcomes, acknowledged, retries } = witness;
    return {
      kills: tally.kills(),
      // Of Redis, if `CHAOS_REDIS` names one with replicas.
      failovers,
      // The other processes did not reach theirs in time.
      atTheirPoint: tally.deaths(),
      points: tally.points(),
      // Planned roles and points without a death.
      missed: tally.missed(isPlanned),
      // Runs in pull mode whose players lost nothing.
      played,
      attempts: outcomes.length,
      acknowledged,
      retries,
      unanswered: outcomes.filter(({ reply }) => reply === null).length,
      restAfterMs,
      tookMs: Math.round(performance.now() - startedAt),
    };
  } finally {
    if (progress !== null) clearInterval(progress);
    await clients.end(0).catch(() => undefined);
    await players.end().catch(() => undefined);
    await victims.end();
    await endFailovers().catch(() => undefined);
    await population.stop();
    await redis.stop();
    await store.remove();
  }
}

function progressLine(startedAt: number, tally: Tally, { acknowledged }: Witness): string {
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  return `${seconds} s: ${tally.kills()} killed, ${tally.deaths()} of them at ${tally.points()} points; ${acknowledged} acknowledged`;
}

type Processes = Readonly<Record<Role, readonly HubProcessOptions[]>>;

/** An API process keeps its port across restarts. */
async function planProcesses(
  store: ScratchStore,
  redisUrl: string,
  { settings }: PopulatedHub,
  laneCount: number,
): Promise<{ urls: readonly string[]; processes: Processes }> {
  const common = { stores: { database: store.setting, redisUrl }, settings };
  const pools = poolNames.filter((name) => name !== 'inbound-mail').flatMap((name) => ['--pool', name]);
  const ports = await freePorts(laneCount);
  return {
    urls: ports.map((port) => `http://127.0.0.1:${port}`),
    processes: {
      api: ports.map((port) => ({ ...common, program: 'api', settings: { ...settings, PORT: `${port}` } })),
      workers: ports.map(() => ({ ...common, program: 'worker', words: pools })),
    },
  };
}

interface VictimsOptions {
  readonly kills: number;
  readonly size: Size;
  readonly seed: string;
  readonly processes: Processes;
  readonly tally: Tally;
  readonly isPlanned: (point: CrashPoint) => boolean;
}

function startVictims({ kills, size, seed, processes, tally, isPlanned }: VictimsOptions) {
  let left = kills;
  const survivors: Survivor[] = [];
  const runLane = async (role: Role, deaths: Iterator<Death>, process: HubProcessOptions): Promise<void> => {
    const mayDie = () => (left -= 1) >= 0;
    const onDeath: VictimOptions['onDeath'] = (...death) => tally.count(role, ...death);
    try {
      survivors.push(await runVictim({ process, deaths, mayDie, onDeath, timing: size.timing }));
    } catch (error) {
      // Ends the other lanes as well.
      left = 0;
      throw error;
    }
  };
  const lanes = roles.flatMap((role) => {
    const { afterStepsMax, onPassMax } = size;
    const plan = { isPlanned, afterStepsMax, onPassMax };
    const deaths = deathsOf(role, createRandom(seed, role), plan);
    return processes[role].map((process) => runLane(role, deaths, process));
  });
  return {
    died: async (): Promise<void> => void (await Promise.all(lanes)),
    end: async (): Promise<void> => {
      left = 0;
      await Promise.allSettled(lanes);
      await Promise.all(survivors.map((survivor) => survivor.end()));
    },
  };
}
