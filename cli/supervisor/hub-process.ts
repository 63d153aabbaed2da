/**
 * A process of the hub as a service: started with Bun, configured by its environment, ready when it says so.
 */
import { configurationExitCode, StartError } from '#runtime/process/start-error.ts';
import { supervised } from '#runtime/process/shutdown.ts';
import { watchHeartbeat } from './heartbeat.ts';
import { watchMemory } from './memory-watch.ts';
import type { RunningService, Service } from './service.ts';

/**
 * Long enough for a query that takes seconds. Not much longer, because a process that holds SQLite's write
 * lock blocks all others.
 */
const longestSilenceMs = 10_000;

/**
 * How often Bun's allocator looks for pages to give back, in milliseconds. By default it looks ten times a second, which
 * is a fifth of what a process at rest costs, and finds no more memory.
 */
const allocatorSettings = { MIMALLOC_PURGE_HOLES_MIN_INTERVAL: '5000' } as const;

export interface HubProcess {
  readonly name: string;
  /** The file that Bun runs, and its arguments. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** From the start until the process is ready; may include migrations. */
  readonly readyTimeoutMs: number;
  /** From SIGTERM until SIGKILL. */
  readonly stopTimeoutMs: number;
  /** How long a ready process may go without a heartbeat before it is killed; see `watchHeartbeat`. */
  readonly silenceMaxMs?: number;
  /** Memory above which a ready process is restarted; null or absent for no limit. See `watchMemory`. */
  readonly memoryMaxMb?: number | null;
}

export function hubProcess(options: HubProcess): Service {
  return { name: options.name, start: () => Promise.resolve(startProcess(options)) };
}

/**
 * The child leads its own session: Ctrl-C reaches the whole foreground group, and the child must not stop
 * before its turn. If this process is killed, the channel between them closes and the child exits.
 */
function startProcess({
  name,
  command,
  env,
  readyTimeoutMs,
  stopTimeoutMs,
  silenceMaxMs = longestSilenceMs,
  memoryMaxMb = null,
}: HubProcess): RunningService {
  const ready = Promise.withResolvers<void>();
  const child = Bun.spawn([process.execPath, ...command], {
    detached: true,
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'inherit',
    env: { ...allocatorSettings, ...process.env, ...env, [supervised]: '1' },
    ipc: (message: unknown) => {
      heartbeat.heard();
      if (typeof message !== 'object' || message === null) return;
      if ('ready' in message) ready.resolve();
      if ('residentBytes' in message) memory.told(Number(message.residentBytes));
    },
  });
  const kill = (): void => killGroup(child.pid);
  let isStopping = false;
  const stop = async (): Promise<'in order' | 'by force'> => {
    // A second signal would kill it immediately.
    if (!isStopping) {
      isStopping = true;
      child.kill('SIGTERM');
      const killTimer = setTimeout(kill, stopTimeoutMs);
      void ended.then(() => clearTimeout(killTimer));
    }
    await ended;
    return child.signalCode === 'SIGKILL' ? 'by force' : 'in order';
  };
  const heartbeat = watchHeartbeat(silenceMaxMs, kill);
  const memory = watchMemory({
    pid: child.pid,
    maxMb: memoryMaxMb,
    onTooLarge: () => void stop(),
    onFarTooLarge: kill,
  });
  const readyTimer = setTimeout(() => {
    ready.reject(new Error(`${name} was not ready within ${readyTimeoutMs} ms`));
    kill();
  }, readyTimeoutMs);
  const ended = child.exited.then(() => {
    heartbeat.stop();
    memory.stop();
    const how = howItEnded(child) + whyItWasEnded(heartbeat.isLost() ? silenceMaxMs : null, memory.foundMb());
    const isFatal = child.exitCode === configurationExitCode;
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
      if (child.exitCode !== null || child.signalCode !== null) return;
      heartbeat.start();
      memory.start();
    } catch {
      // The callers that await `ready` handle the failure.
    } finally {
      clearTimeout(readyTimer);
    }
  };
  void watch();
  return {
    ready: ready.promise,
    ended,
    kill,
    stop,
  };
}

function howItEnded({ exitCode, signalCode }: Bun.Subprocess): string {
  return signalCode === null ? `exit code ${exitCode}` : `signal ${signalCode}`;
}

/** Empty when the supervisor did not stop it. */
function whyItWasEnded(silentForMs: number | null, memoryMb: number | null): string {
  if (silentForMs !== null)
    return `, sent by the supervisor after ${silentForMs / 1000} s without a heartbeat`;
  if (memoryMb !== null) return `, stopped by the supervisor because it used ${memoryMb} MB of memory`;
  return '';
}

function killGroup(leaderPid: number): void {
  try {
    process.kill(-leaderPid, 'SIGKILL');
  } catch {
    // Already ended.
  }
}
