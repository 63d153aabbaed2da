/** A process of the hub that is restarted after each death and dies at the next point of its plan. */
import type { CrashPoint } from '#runtime/process/crash-points.ts';
import { failedStartExitCode } from '#runtime/process/start-error.ts';
import type { Death } from './crash-plan.ts';
import { type HubProcessOptions, spawnHubProcess } from '#test/harness/hub-process.ts';

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
    const { child, said } = await spawnHubProcess({ ...process, settings, build: 'die-at-point' });
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
