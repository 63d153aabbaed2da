/** Starts a whole hub under its supervisor, by default from the binary, with its own Redis and workers. */
import { afterAll } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { programWords } from '#cli/supervisor/program-words.ts';
import { UNPACKED_REDIS_DIR } from '#runtime/redis/find-redis-server.mjs';
import { hubProgram } from './hub-binary.ts';
import { startProgram } from './run-program.ts';
import { shortLived } from './short-lived.ts';

export type WholeHub = ReturnType<typeof startHub>;

/** Cleans up hubs of failed tests. */
const leftovers = new Set<() => void>();
afterAll(() => leftovers.forEach((end) => end()));

const root = join(import.meta.dir, '..', '..');

/** The command that starts a hub from the sources. */
export const fromSources = [process.execPath, ...programWords('start')];

/**
 * Starts the hub with no settings but the given ones, which may include PATH. A given command leads its own
 * process group, as one typed into a terminal does.
 */
export function startHub(
  settings: Readonly<Record<string, string>>,
  command?: readonly string[],
  cwd = root,
) {
  const folder = mkdtempSync(join(tmpdir(), 'agent-hub-whole-'));
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir);
  const started = startProgram(command ?? hubProgram('start'), {
    cwd,
    detached: command !== undefined,
    env: {
      // The binary does not know the Redis that the set-up has unpacked for the sources.
      PATH: [join(root, 'node_modules', '.bin'), process.env['PATH'], UNPACKED_REDIS_DIR].join(delimiter),
      HOME: folder,
      TMPDIR: tmpdir(),
      DATA_DIR: dataDir,
      ...shortLived,
      ...settings,
    },
  });
  const { child: hub, until } = started;
  const end = (): void => {
    leftovers.delete(end);
    // The processes of a hub end when the channel to their supervisor closes.
    if (hub.exitCode === null && hub.signalCode === null)
      process.kill(command === undefined ? hub.pid : -hub.pid, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  leftovers.add(end);
  /** Waits until it has ended and removes its data. */
  const ended = async () => {
    const { exitCode, printed: output, complaints } = await started.ended;
    end();
    return { exitCode, output, complaints };
  };
  return {
    hub,
    dataDir,
    until,
    /** Waits until it is ready. @returns the address of its API */
    address: async () => (await until(/API +(http:\S+)/))[1] ?? '',
    ended,
    /** Tells it to end, and waits for that as `ended` does. */
    stop: () => {
      hub.kill('SIGTERM');
      return ended();
    },
  };
}
