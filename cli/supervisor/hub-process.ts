/** A process of the hub as a service: started with Bun, told its surroundings by its environment, ready when it says so. */
import { CONFIGURATION_EXIT_CODE } from '#runtime/exit-codes.ts';
import { SUPERVISED } from '#runtime/shutdown.ts';
import { StartError } from '#runtime/start-error.ts';
import type { RunningService, Service } from './service.ts';

export interface HubProcess {
  readonly name: string;
  /** The file that Bun runs, with its arguments. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** From the start until it says that it serves; migrations may run in between. */
  readonly readyTimeoutMs: number;
  /** From SIGTERM until SIGKILL. */
  readonly stopTimeoutMs: number;
}

export function hubProcess(options: HubProcess): Service {
  return { name: options.name, start: () => Promise.resolve(startProcess(options)) };
}

/**
 * The child leads a session of its own: a Ctrl-C goes to everyone in the terminal's foreground group, and it must not
 * end before its turn. Should this process be killed, the channel between the two closes, and the child ends itself.
 */
function startProcess({ name, command, env, readyTimeoutMs, stopTimeoutMs }: HubProcess): RunningService {
  const ready = Promise.withResolvers<void>();
  const child = Bun.spawn([process.execPath, ...command], {
    detached: true,
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'inherit',
    env: { ...process.env, ...env, [SUPERVISED]: '1' },
    ipc: (message: unknown) => {
      if (typeof message === 'object' && message !== null && 'ready' in message) ready.resolve();
    },
  });
  const kill = (): void => killGroup(child.pid);
  const readyTimer = setTimeout(() => {
    ready.reject(new Error(`${name} was not ready within ${readyTimeoutMs} ms`));
    kill();
  }, readyTimeoutMs);
  const ended = child.exited.then(() => {
    const how = child.signalCode === null ? `exit code ${child.exitCode}` : `signal ${child.signalCode}`;
    const isFatal = child.exitCode === CONFIGURATION_EXIT_CODE;
    ready.reject(
      isFatal
        ? new StartError('', { isSetting: true })
        : new Error(`${name} ended with ${how} before it was ready`),
    );
    return how;
  });
  ready.promise.then(
    () => clearTimeout(readyTimer),
    () => clearTimeout(readyTimer),
  );
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

function killGroup(leaderPid: number): void {
  try {
    process.kill(-leaderPid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}
