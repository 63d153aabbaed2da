/** A process of the hub that is started again each time it has died, to die at the next point of its list. */
import type { CrashPoint } from '#runtime/process/crash-points.ts';
import type { Death } from './crash-plan.ts';
import { type HubProcessOptions, spawnHubProcess } from '#test/harness/hub-process.ts';

export interface VictimOptions {
  readonly process: HubProcessOptions;
  readonly deaths: Iterator<Death>;
  /** Asked before each start: whether the next process is to die as well. */
  readonly mayDie: () => boolean;
  /** Told of each death, at its point or late and elsewhere. */
  readonly onDeath: (point: CrashPoint, wasReached: boolean, tookMs: number) => void;
  readonly patience: Patience;
}

export interface Patience {
  /** A process that has worked for so long since its first step is old enough to die. */
  readonly afterMs: number;
  /** How long it is waited for to come to its point from then on. */
  readonly reachMs: number;
  /** From its start until its death, whatever it does. */
  readonly lifeMs: number;
}

/** Runs on, and dies no more. */
export interface Survivor {
  end(): Promise<void>;
}

/** Rejects when a process ends by itself, as none should. */
export async function runVictim({
  process,
  deaths,
  mayDie,
  onDeath,
  patience,
}: VictimOptions): Promise<Survivor> {
  for (let next = deaths.next(); mayDie() && next.done !== true; next = deaths.next()) {
    const { point, onPass, afterSteps } = next.value;
    const settings = {
      ...process.settings,
      CRASH_AT: point,
      CRASH_ON_PASS: String(onPass),
      CRASH_AFTER_STEPS: String(afterSteps),
      CRASH_AFTER_MS: String(patience.afterMs),
      CRASH_REACH_MS: String(patience.reachMs),
    };
    const { child, said } = spawnHubProcess({
      ...process,
      settings,
      preload: 'test/crash/children/die-at-point.ts',
    });
    const startedAt = performance.now();
    const late = setTimeout(() => child.kill('SIGUSR2'), patience.lifeMs);
    await child.exited.finally(() => clearTimeout(late));
    const wasReached = child.signalCode === 'SIGKILL';
    if (!wasReached && child.signalCode !== 'SIGUSR2')
      throw new Error(`The process ended by itself (${child.exitCode}). It said:\n${said.text()}`);
    onDeath(point, wasReached, performance.now() - startedAt);
  }
  const { child } = spawnHubProcess(process);
  return {
    end: async () => {
      child.kill('SIGKILL');
      await child.exited;
    },
  };
}
