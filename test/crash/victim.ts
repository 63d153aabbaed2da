/** A process of the hub that is restarted after each death and dies at the next point of its plan, and work meanwhile. */
import { expect } from 'bun:test';
import { Redis } from 'ioredis';
import type { Database } from '#db/database.ts';
import type { CrashPoint } from '#runtime/process/crash-points.ts';
import { failedStartExitCode } from '#runtime/process/start-error.ts';
import { type HubProcessOptions, spawnHubProcess } from '#test/harness/hub-process.ts';
import { changeRows } from '#test/harness/rows.ts';
import type { Death } from './crash-plan.ts';

export interface VictimOptions {
  readonly process: HubProcessOptions;
  readonly deaths: Iterator<Death>;
  /** Called before each start. False ends the series with a process that survives. */
  readonly mayDie: () => boolean;
  /** @param wasReached false if the process was killed elsewhere because it did not reach the point in time */
  readonly onDeath: (point: CrashPoint, wasReached: boolean, tookMs: number) => void;
  readonly timing: Timing;
}

export interface Timing {
  /** From its first step until it may die. */
  readonly afterMs: number;
  /** From then until it must have reached its point. */
  readonly reachMs: number;
  /** From its start until it is killed in any case. */
  readonly lifeMs: number;
}

export interface Survivor {
  end(): Promise<void>;
}

/**
 * A store without processor time does not respond to a starting process. Like the supervisor, this starts the process
 * again, up to a limit.
 */
const failedStartsMax = 10;
const restartPauseMs = 1_000;

/** Rejects if a process ends without being killed. */
export async function runVictim({
  process,
  deaths,
  mayDie,
  onDeath,
  timing,
}: VictimOptions): Promise<Survivor> {
  let failedStarts = 0;
  let next = deaths.next();
  while (mayDie() && next.done !== true) {
    const { point, onPass, afterSteps } = next.value;
    const settings = {
      ...process.settings,
      CRASH_AT: point,
      CRASH_ON_PASS: String(onPass),
      CRASH_AFTER_STEPS: String(afterSteps),
      CRASH_AFTER_MS: String(timing.afterMs),
      CRASH_REACH_MS: String(timing.reachMs),
    };
    const { child, said } = await spawnHubProcess({ ...process, settings, preload: 'die-at-point' });
    const startedAt = performance.now();
    const late = setTimeout(() => child.kill('SIGUSR2'), timing.lifeMs);
    await child.exited.finally(() => clearTimeout(late));
    if (child.exitCode === failedStartExitCode && said.text() === '' && failedStarts < failedStartsMax) {
      failedStarts += 1;
      await Bun.sleep(restartPauseMs);
      continue;
    }
    const wasReached = child.signalCode === 'SIGKILL';
    if (!wasReached && child.signalCode !== 'SIGUSR2')
      throw new Error(`The process ended unexpectedly (${child.exitCode}). Its output:\n${said.text()}`);
    onDeath(point, wasReached, performance.now() - startedAt);
    next = deaths.next();
  }
  const { child } = await spawnHubProcess(process);
  return {
    end: async () => {
      child.kill('SIGKILL');
      await child.exited;
    },
  };
}

export interface VictimWork {
  readonly process: HubProcessOptions;
  readonly deaths: readonly Death[];
  readonly work: () => Promise<void>;
  readonly afterDeath?: () => Promise<void>;
}

/** Some points are passed only at the end of a run, which takes long beside other tests. */
const patientTiming: Timing = { afterMs: 0, reachMs: 60_000, lifeMs: 80_000 };

/** Runs `work` while a process dies at each of the points and is started again. */
export async function withVictim({ process, deaths, work, afterDeath }: VictimWork): Promise<void> {
  let killed = 0;
  let cleared: Promise<void> = Promise.resolve();
  const victim = runVictim({
    process,
    deaths: deaths.values(),
    mayDie: () => true,
    onDeath: (point, wasReached) => {
      killed += 1;
      expect([point, wasReached]).toEqual([point, true]);
      cleared = afterDeath?.() ?? cleared;
    },
    timing: patientTiming,
  });
  try {
    await work();
    await (await victim).end();
    await cleared;
    expect(killed).toBe(deaths.length);
  } finally {
    await victim.then((survivor) => survivor.end()).catch(() => undefined);
  }
}

/**
 * Frees the run of a dead worker at once: its claim expires, and Redis loses its locks with everything else, so the
 * sweeper announces the run again.
 */
export async function releaseDead(db: Database, redisUrl: string, runId: string): Promise<void> {
  await changeRows({ db }, 'runs', { id: runId }, { leaseUntil: new Date() });
  const redis = new Redis(redisUrl);
  await redis.flushall();
  redis.disconnect();
}
