/**
 * A hub whose API and workers are killed over and over, each time at another step, while clients ask for everything that
 * commits, charges, sells or tells. What is asked and where the hub dies follows from the seed; how it falls together is
 * the machine's doing, so that a seed that once failed is run a few times.
 */
import { expect } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Dialect } from '#db/database.ts';
import type { CrashPoint } from '#runtime/process/crash-points.ts';
import { createRandom } from '#domain/eval-suite/random.ts';
import type { HubProcessOptions } from '#test/harness/hub-process.ts';
import { openScratchStore } from '#test/harness/stores.ts';
import { type ClientSort, drawAttempt } from './attempts.ts';
import { type ClientReport, runClient } from './client.ts';
import { type Death, deathsOf, isAboutMail, type Role, roles } from './crash-plan.ts';
import { expectAtRest, expectMailed, expectTold } from './expect-at-rest.ts';
import { expectKept } from './expect-kept.ts';
import { type CrashSurroundings, prepareSurroundings } from './surroundings.ts';
import { createTally, type Tally } from './tally.ts';
import { type Patience, runVictim, type Survivor } from './victim.ts';

export interface CrashOptions {
  readonly dialect: Dialect;
  readonly seed: string;
  /** Of both processes together. */
  readonly kills: number;
  /** Has more clients, books office hours as well, whose mails the hub takes its time for, and waits for what is slow. */
  readonly isLong: boolean;
}

export interface CrashReport {
  readonly kills: number;
  /** Kills at the very point that was wanted; the others were wherever the process was when it had not come there in time. */
  readonly atTheirPoint: number;
  /** Different points at which a process died. */
  readonly points: number;
  /** Roles and points that were wanted and never died at. */
  readonly neverDiedAt: readonly string[];
  readonly attempts: number;
  readonly acknowledged: number;
  readonly retries: number;
  readonly unanswered: number;
  /** From the last death until all promised work was done. */
  readonly restAfterMs: number;
  readonly tookMs: number;
}

interface Size {
  /** Processes of each role beside each other: while one comes back, the other serves. */
  readonly laneCount: number;
  readonly eventCount: number;
  readonly officeCount: number;
  /** Up to so many points of any name are passed before a process may die: some 6 make a request. */
  readonly afterStepsMax: number;
  readonly clients: Readonly<Record<'seats' | 'offices' | 'runs' | 'writes', ClientGroup>>;
  /** For what was asked last: longer than a key stays with a request that has died, in a long run. */
  readonly lastAnswersMs: number;
  readonly patience: Patience;
  readonly restMaxMs: number;
}

interface ClientGroup {
  readonly count: number;
  /** A load that leaves the machine to those who start again. */
  readonly pauseMs: number;
  readonly waitingMax: number;
}

const sizes: Readonly<Record<'long' | 'short', Size>> = {
  long: {
    laneCount: 2,
    eventCount: 9,
    officeCount: 6,
    afterStepsMax: 6_000,
    clients: {
      seats: { count: 24, pauseMs: 50, waitingMax: 4 },
      offices: { count: 6, pauseMs: 200, waitingMax: 4 },
      runs: { count: 2, pauseMs: 1_500, waitingMax: 10 },
      writes: { count: 24, pauseMs: 20, waitingMax: 20 },
    },
    lastAnswersMs: 40_000,
    patience: { afterMs: 20_000, reachMs: 10_000, lifeMs: 60_000 },
    restMaxMs: 180_000,
  },
  short: {
    laneCount: 1,
    eventCount: 3,
    officeCount: 0,
    afterStepsMax: 0,
    clients: {
      seats: { count: 6, pauseMs: 0, waitingMax: 1 },
      offices: { count: 0, pauseMs: 0, waitingMax: 1 },
      runs: { count: 1, pauseMs: 100, waitingMax: 1 },
      writes: { count: 5, pauseMs: 0, waitingMax: 4 },
    },
    lastAnswersMs: 4_000,
    patience: { afterMs: 0, reachMs: 6_000, lifeMs: 20_000 },
    restMaxMs: 25_000,
  },
};
const progressEveryMs = 15_000;

/** Rejects when anything that was promised does not hold. */
export async function runCrashes({ dialect, seed, kills, isLong }: CrashOptions): Promise<CrashReport> {
  const startedAt = performance.now();
  const size = sizes[isLong ? 'long' : 'short'];
  const store = await openScratchStore(dialect);
  const around = await prepareSurroundings(store, size);
  const isWanted = (point: CrashPoint): boolean => isLong || !isAboutMail(point);
  const tally = createTally();
  const clients = startClients(size, seed, around);
  const victims = startVictims({ kills, size, seed, around, tally, isWanted });
  const progress = isLong
    ? setInterval(() => showProgress(startedAt, tally, clients), progressEveryMs)
    : null;
  try {
    await victims.died();
    const lastDeathAt = performance.now();
    // Before anything is looked at, so that a run that fails has said how far it went.
    if (isLong) console.log(tally.table());
    const reports = await clients.end(size.lastAnswersMs);
    await expectAtRest(store.db, size.restMaxMs);
    const restAfterMs = Math.round(performance.now() - lastDeathAt);
    expect(reports.flatMap(({ faults }) => faults)).toEqual([]);
    const outcomes = reports.flatMap((report) => report.outcomes);
    await expectKept(store.db, outcomes);
    await expectTold(store.db, around.receiver);
    await expectMailed(store.db, join(around.dataDir, 'mail'));
    return {
      kills: tally.kills(),
      atTheirPoint: tally.deaths(),
      points: tally.points(),
      neverDiedAt: tally.neverDiedAt(isWanted),
      ...countsOf(reports),
      restAfterMs,
      tookMs: Math.round(performance.now() - startedAt),
    };
  } finally {
    if (progress !== null) clearInterval(progress);
    await clients.end(0).catch(() => undefined);
    await victims.end();
    await around.stop();
    await store.remove();
    await rm(around.dataDir, { recursive: true, force: true });
  }
}

function showProgress(startedAt: number, tally: Tally, clients: Clients): void {
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  console.log(
    `${seconds} s: ${tally.kills()} killed, ${tally.deaths()} of them at ${tally.points()} points; ${clients.acknowledged()} acknowledged`,
  );
}

interface Clients {
  acknowledged(): number;
  /** They ask for nothing new, and give up what is not answered within the time. */
  end(withinMs: number): Promise<ClientReport[]>;
}

function startClients(size: Size, seed: string, around: CrashSurroundings): Clients {
  let over = false;
  let givenUpAt = Number.POSITIVE_INFINITY;
  let acknowledged = 0;
  const running = Object.entries(size.clients).flatMap(([sort, { count, pauseMs, waitingMax }]) =>
    Array.from({ length: count }, (_, index) => {
      const name = `${sort}${index}`;
      const random = createRandom(seed, `client ${name}`);
      return runClient({
        // Half of them begin with the one process, half with the other.
        urls: around.urls.map((_url, lane) => around.urls[(lane + index) % around.urls.length]!),
        // The keys of `clients` are sorts, as its type says.
        draw: (turn) => drawAttempt(sort as ClientSort, random, `${name}-${turn}`, around),
        isOver: () => over,
        isGivenUp: () => performance.now() > givenUpAt,
        pauseMs,
        waitingMax,
        onAnswer: (_attempt, { ok }) => (acknowledged += ok ? 1 : 0),
      });
    }),
  );
  return {
    acknowledged: () => acknowledged,
    end: (withinMs) => {
      over = true;
      givenUpAt = performance.now() + withinMs;
      return Promise.all(running);
    },
  };
}

interface VictimsOptions {
  readonly kills: number;
  readonly size: Size;
  readonly seed: string;
  readonly around: CrashSurroundings;
  readonly tally: Tally;
  readonly isWanted: (point: CrashPoint) => boolean;
}

function startVictims({ kills, size, seed, around, tally, isWanted }: VictimsOptions) {
  let left = kills;
  const survivors: Survivor[] = [];
  const runLane = (role: Role, deaths: Iterator<Death>, process: HubProcessOptions): Promise<void> =>
    runVictim({
      process,
      deaths,
      mayDie: () => (left -= 1) >= 0,
      onDeath: (...death) => tally.count(role, ...death),
      patience: size.patience,
    }).then(
      (survivor) => void survivors.push(survivor),
      (error: unknown) => {
        // The other processes die no more either, and their survivors are ended below.
        left = 0;
        throw error;
      },
    );
  const lanes = roles.flatMap((role) => {
    const deaths = deathsOf(role, createRandom(seed, role), { isWanted, afterStepsMax: size.afterStepsMax });
    return around.processes[role].map((process) => runLane(role, deaths, process));
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

function countsOf(reports: readonly ClientReport[]) {
  const outcomes = reports.flatMap((report) => report.outcomes);
  const answers = outcomes.flatMap(({ answer }) => answer ?? []);
  return {
    attempts: outcomes.length,
    acknowledged: answers.filter(({ status }) => status < 300).length,
    retries: reports.reduce((sum, report) => sum + report.retries, 0),
    unanswered: outcomes.length - answers.length,
  };
}
