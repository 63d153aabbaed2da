/** A process of the hub that is started again each time it has died, to die at the next point of its list. */
import type { CrashPoint } from '#runtime/crash-points.ts';
import { type HubProcessOptions, spawnHubProcess } from '#test/harness/hub-process.ts';

export interface Death {
  readonly point: CrashPoint;
  /** Which time it is passed. */
  readonly onPass: number;
}

export interface VictimOptions {
  readonly process: HubProcessOptions;
  readonly deaths: Iterator<Death>;
  /** Asked before each start: whether the next process is to die as well. */
  readonly mayDie: () => boolean;
  /** How long a process is waited for to come to its point, from its start. */
  readonly reachMaxMs: number;
}

export interface VictimReport {
  readonly died: readonly CrashPoint[];
  /** Points that were not passed often enough in time; the process was killed where it was. */
  readonly notReached: readonly CrashPoint[];
  /** Runs on, and dies no more. */
  readonly survivor: { end(): Promise<void> };
}

/** Rejects when a process ends by itself, as none should. */
export async function runVictim({
  process,
  deaths,
  mayDie,
  reachMaxMs,
}: VictimOptions): Promise<VictimReport> {
  const died: CrashPoint[] = [];
  const notReached: CrashPoint[] = [];
  for (let next = deaths.next(); mayDie() && next.done !== true; next = deaths.next()) {
    const { point, onPass } = next.value;
    const settings = { ...process.settings, CRASH_AT: point, CRASH_ON_PASS: String(onPass) };
    const { child, said } = spawnHubProcess({
      ...process,
      settings,
      preload: 'test/crash/children/die-at-point.ts',
    });
    const late = setTimeout(() => child.kill('SIGUSR2'), reachMaxMs);
    await child.exited.finally(() => clearTimeout(late));
    if (child.signalCode === 'SIGKILL') died.push(point);
    else if (child.signalCode === 'SIGUSR2') notReached.push(point);
    else throw new Error(`The process ended by itself (${child.exitCode}). It said:\n${said.text()}`);
  }
  const { child } = spawnHubProcess(process);
  const end = async (): Promise<void> => {
    child.kill('SIGKILL');
    await child.exited;
  };
  return { died, notReached, survivor: { end } };
}
