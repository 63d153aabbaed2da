/** A process of the hub as a service: started with Bun, told its surroundings by its environment, ready when it says so. */
import { CONFIGURATION_EXIT_CODE } from '#runtime/exit-codes.ts';
import { SUPERVISED } from '#runtime/shutdown.ts';
import { StartError } from '#runtime/start-error.ts';
import { watchHeartbeat } from './heartbeat.ts';
import type { RunningService, Service } from './service.ts';

/** Long enough for a query that takes seconds; not much longer, as who holds SQLite's write lock holds up all others. */
const SILENCE_MAX_MS = 10_000;

export interface HubProcess {
  readonly name: string;
  /** The file that Bun runs, with its arguments. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** From the start until it says that it serves; migrations may run in between. */
  readonly readyTimeoutMs: number;
  /** From SIGTERM until SIGKILL. */
  readonly stopTimeoutMs: number;
  /** How long it may go without a heartbeat once it is ready, before it is killed; see `watchHeartbeat`. */
  readonly silenceMaxMs?: number;
}

export function hubProcess(options: HubProcess): Service {
  return { name: options.name, start: () => Promise.resolve(startProcess(options)) };
}

/**
 * The child leads a session of its own: a Ctrl-C goes to everyone in the terminal's foreground group, and it must not
 * end before its turn. Should this process be killed, the channel between the two closes, and the child ends itself.
 */
function startProcess({
  name,
  command,
  env,
  readyTimeoutMs,
  stopTimeoutMs,
  silenceMaxMs = SILENCE_MAX_MS,
}: HubProcess): RunningService {
  const ready = Promise.withResolvers<void>();
  const child = Bun.spawn([process.execPath, ...command], {
    detached: true,
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'inherit',
    env: { ...process.env, ...env, [SUPERVISED]: '1' },
    ipc: (message: unknown) => {
      heartbeat.heard();
      if (typeof message === 'object' && message !== null && 'ready' in message) ready.resolve();
    },
  });
  const kill = (): void => killGroup(child.pid);
  const heartbeat = watchHeartbeat(silenceMaxMs, kill);
  const readyTimer = setTimeout(() => {
    ready.reject(new Error(`${name} was not ready within ${readyTimeoutMs} ms`));
    kill();
  }, readyTimeoutMs);
  const ended = child.exited.then(() => {
    heartbeat.stop();
    const how = howItEnded(child, heartbeat.isLost() ? silenceMaxMs : null);
    const isFatal = child.exitCode === CONFIGURATION_EXIT_CODE;
    ready.reject(
      isFatal
        ? new StartError('', { isSetting: true })
        : new Error(`${name} ended with ${how} before it was ready`),
    );
    return how;
  });
  const watch = async (): Promise<void> => {
    try {
      await ready.promise;
      if (child.exitCode === null && child.signalCode === null) heartbeat.start();
    } catch {
      // Whoever waits for it to be ready hears why it is not.
    } finally {
      clearTimeout(readyTimer);
    }
  };
  void watch();
  return {
    ready: ready.promise,
    ended,
    kill,
    stop: async () => {
      child.kill('SIGTERM');
      const killTimer = setTimeout(kill, stopTimeoutMs);
      await ended;
      clearTimeout(killTimer);
    },
  };
}

function howItEnded({ exitCode, signalCode }: Bun.Subprocess, silentForMs: number | null): string {
  const how = signalCode === null ? `exit code ${exitCode}` : `signal ${signalCode}`;
  if (silentForMs === null) return how;
  return `${how}, sent by the supervisor after ${silentForMs / 1000} s without a heartbeat`;
}

function killGroup(leaderPid: number): void {
  try {
    process.kill(-leaderPid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}
