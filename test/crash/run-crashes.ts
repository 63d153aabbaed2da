/**
 * A hub whose API and workers are killed over and over, each time at another step, while clients ask for everything that
 * commits, charges, sells or tells. What is asked and where the hub dies follows from the seed; how it falls together is
 * the machine's doing, so that a seed that once failed is run a few times.
 */
import { expect } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Dialect } from '#db/database.ts';
import type { CrashPoint } from '#runtime/crash-points.ts';
import { createRandom } from '#domain/eval-suite/random.ts';
import { openScratchStore } from '#test/harness/stores.ts';
import { drawAttempt } from './attempts.ts';
import { type ClientReport, runClient } from './client.ts';
import { deathsOf, isAboutMail, type Role } from './crash-plan.ts';
import { expectAtRest, expectMailed, expectTold } from './expect-at-rest.ts';
import { expectKept } from './expect-kept.ts';
import { prepareSurroundings } from './surroundings.ts';
import { runVictim, type VictimReport } from './victim.ts';

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
  /** Different points at which a process died; the other kills were wherever it was. */
  readonly points: number;
  /** Points that were not passed often enough in time, where the process was then killed wherever it was. */
  readonly notReached: readonly CrashPoint[];
  readonly attempts: number;
  readonly acknowledged: number;
  readonly retries: number;
  readonly unanswered: number;
  /** From the last death until all promised work was done. */
  readonly restAfterMs: number;
}

const clientCounts = { long: 32, short: 12 };
/** For what was asked last: longer than a key stays with a request that has died, in a long run. */
const lastAnswersMs = { long: 40_000, short: 4_000 };
const reachMaxMs = { long: 10_000, short: 6_000 };
const restMaxMs = { long: 90_000, short: 25_000 };

/** Rejects when anything that was promised does not hold. */
export async function runCrashes({ dialect, seed, kills, isLong }: CrashOptions): Promise<CrashReport> {
  const store = await openScratchStore(dialect);
  const around = await prepareSurroundings(store, isLong);
  const length = isLong ? 'long' : 'short';
  let left = kills;
  let over = false;
  let givenUpAt = Number.POSITIVE_INFINITY;
  const victims: VictimReport[] = [];
  const runRole = (role: Role): Promise<void> =>
    runVictim({
      process: around.processes[role],
      deaths: deathsOf(role, createRandom(seed, role), (point) => isLong || !isAboutMail(point)),
      mayDie: () => (left -= 1) >= 0,
      reachMaxMs: reachMaxMs[length],
    }).then(
      (report) => void victims.push(report),
      (error: unknown) => {
        // The other process dies no more either, and its survivor is ended below.
        left = 0;
        throw error;
      },
    );
  const clients = Array.from({ length: clientCounts[length] }, (_, index) => {
    const random = createRandom(seed, `client ${index}`);
    const sort = index % 2 === 0 ? 'seats' : 'writes';
    return runClient({
      url: around.url,
      draw: (turn) => drawAttempt(sort, random, `c${index}-${turn}`, around),
      isOver: () => over,
      isGivenUp: () => performance.now() > givenUpAt,
    });
  });
  const roles = [runRole('api'), runRole('workers')];
  try {
    await Promise.all(roles);
    const lastDeathAt = performance.now();
    over = true;
    givenUpAt = lastDeathAt + lastAnswersMs[length];
    const reports = await Promise.all(clients);
    await expectAtRest(store.db, restMaxMs[length]);
    const restAfterMs = Math.round(performance.now() - lastDeathAt);
    expect(reports.flatMap(({ faults }) => faults)).toEqual([]);
    await expectKept(
      store.db,
      reports.flatMap(({ outcomes }) => outcomes),
    );
    await expectTold(store.db, around.receiver);
    await expectMailed(store.db, join(around.dataDir, 'mail'));
    return { ...countsOf(victims, reports), restAfterMs };
  } finally {
    over = true;
    givenUpAt = 0;
    await Promise.allSettled([...clients, ...roles]);
    await Promise.all(victims.map(({ survivor }) => survivor.end()));
    await around.stop();
    await store.remove();
    await rm(around.dataDir, { recursive: true, force: true });
  }
}

function countsOf(
  victims: readonly VictimReport[],
  reports: readonly ClientReport[],
): Omit<CrashReport, 'restAfterMs'> {
  const died = victims.flatMap((victim) => victim.died);
  const outcomes = reports.flatMap((report) => report.outcomes);
  const answers = outcomes.flatMap(({ answer }) => answer ?? []);
  return {
    kills: died.length + victims.flatMap(({ notReached }) => notReached).length,
    points: new Set(died).size,
    notReached: victims.flatMap(({ notReached }) => notReached),
    attempts: outcomes.length,
    acknowledged: answers.filter(({ status }) => status < 300).length,
    retries: reports.reduce((sum, report) => sum + report.retries, 0),
    unanswered: outcomes.length - answers.length,
  };
}
