/**
 * Runs programs as a container engine would, without one: in namespaces of their own, in the file system of a bare
 * Debian, with the user, mounts and rights that a deployment declares. It needs root. What an engine adds beyond that, such
 * as its seccomp profile and a memory limit where cgroups (v1) cannot be written, is missing.
 */
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnTethered, type TetheredProcess } from '#runtime/process/tethered-process.ts';
import { isAlive } from '#runtime/process/is-alive.ts';
import { type ContainerNetwork, rootPath } from './container-network.ts';
import { startProgram } from './run-program.ts';
import { waitUntil, waitWhileRunning } from './wait-until.ts';

export interface ContainerUser {
  readonly uid: number;
  readonly gid: number;
}

export interface Mount {
  readonly kind: 'bind' | 'tmpfs';
  /** A folder of this machine, for `bind`. */
  readonly source?: string;
  readonly target: string;
  /** As `mount -o` reads them, for `tmpfs`. */
  readonly options?: string;
}

export interface ContainerOptions {
  /** The folder with its file system. */
  readonly root: string;
  readonly command: readonly string[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Root with its capabilities if it is left out. Others run without capabilities and cannot gain any. */
  readonly user?: ContainerUser;
  readonly mounts?: readonly Mount[];
  readonly readOnly?: boolean;
  readonly hostName?: string;
  /** By address. */
  readonly hosts?: Readonly<Record<string, string>>;
  /** Without one, the container has only its own loopback. */
  readonly network?: { readonly of: ContainerNetwork; readonly addresses: readonly string[] };
  readonly memoryMaxBytes?: number;
}

export interface ExecOptions {
  /** By default that of the container. */
  readonly user?: ContainerUser;
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

export type StartedProgram = ReturnType<typeof run>;
export type Container = Awaited<ReturnType<typeof startContainer>>;

const script = join(import.meta.dir, 'children', 'start-container.sh');
const stopTimeoutMs = 5_000;
const execTimeoutMs = 20_000;
const containerPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const memoryGroups = '/sys/fs/cgroup/memory';
let started = 0;

export async function startContainer(options: ContainerOptions) {
  const { root, command, folder, env, user, mounts = [], network } = options;
  const scratch = await mkdtemp(join(tmpdir(), 'agent-hub-container-'));
  const [pidFile, hostsFile] = [join(scratch, 'pid'), join(scratch, 'hosts')];
  const hosts = Object.entries({ '127.0.0.1': 'localhost', '::1': 'localhost', ...options.hosts });
  await writeFile(hostsFile, hosts.map((line) => `${line.join(' ')}\n`).join(''));
  if (!existsSync(join(root, 'etc/hosts'))) await writeFile(join(root, 'etc/hosts'), '');
  started += 1;
  const link = `to-${started}`;
  const cgroup = await limitMemory(options.memoryMaxBytes);
  const engine = spawnTethered({
    command: ['unshare', '--mount', '--net', '--uts', 'sh', script, ...wordsAs(user, folder, env, command)],
    stopSignal: 'SIGKILL',
    env: {
      PATH: rootPath,
      PID_FILE: pidFile,
      HOSTS_FILE: hostsFile,
      ROOT: root,
      HOST_NAME: options.hostName ?? 'container',
      CGROUP: cgroup ?? '',
      READ_ONLY: String(options.readOnly ?? false),
      MOUNTS: mounts
        .map(({ kind, source = 'none', target, options: how = '' }) => `${kind} ${source} ${target} ${how}\n`)
        .join(''),
      NETWORK: network === undefined ? '' : String(network.of.pid),
      ADDRESSES: network?.addresses.join(' ') ?? '',
      LINK: link,
    },
  });
  const pid = await firstProcess(pidFile, engine);
  const execWords = (words: readonly string[], own: ExecOptions): readonly string[] => [
    'nsenter',
    `--target=${pid}`,
    '--mount',
    '--net',
    '--pid',
    '--root',
    ...wordsAs(own.user ?? user, own.folder ?? folder, { ...env, ...own.env }, words),
  ];
  return {
    /** Of its first process, on this machine. */
    pid,
    /** Resolves with the exit code of its first process. */
    exited: engine.exited,
    /** The end of what it printed. */
    output: () => engine.output(),
    exec: (words: readonly string[], own: ExecOptions = {}) =>
      run(execWords(words, own), own.timeoutMs ?? execTimeoutMs).ended,
    /** Like `exec`, for a program that goes on. */
    start: (words: readonly string[], own: ExecOptions = {}) => run(execWords(words, own), null),
    /** The largest memory of its first process, in bytes. */
    peakMemory: async () => {
      const status = await readFile(`/proc/${pid}/status`, 'utf8');
      return Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1]) * 1024;
    },
    signal: (signal: NodeJS.Signals) => void process.kill(pid, signal),
    /** Kills what still runs. */
    remove: async () => {
      await engine.stop(stopTimeoutMs);
      await waitUntil(() => !isAlive(pid));
      // The last of its processes may still be ending.
      if (cgroup !== null) await waitUntil(() => isRemoved(cgroup));
      await rm(scratch, { recursive: true, force: true });
    },
  };
}

/** The words that run a command as a user inside a container, with the programs of the container. */
function wordsAs(
  user: ContainerUser | undefined,
  folder: string,
  env: Readonly<Record<string, string>>,
  command: readonly string[],
): readonly string[] {
  const ids = user === undefined ? [] : [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'];
  const rights = ['--no-new-privs', '--inh-caps=-all', '--bounding-set=-all'];
  const settings = Object.entries({ PATH: containerPath, ...env }).map((pair) => pair.join('='));
  return [
    ...(user === undefined ? [] : ['setpriv', ...ids, ...rights]),
    'env',
    '--ignore-environment',
    `--chdir=${folder}`,
    ...settings,
    ...command,
  ];
}

/** @returns the process id, on this machine, of the first process of the container */
async function firstProcess(pidFile: string, engine: TetheredProcess): Promise<number> {
  let pid = 0;
  await waitWhileRunning(engine, async () => {
    // The script becomes `unshare`, whose only child is another one, whose only child becomes that process.
    const outer = (await readFile(pidFile, 'utf8').catch(() => '')).trim();
    if (outer === '' || (await programOf(outer)) !== 'unshare') return false;
    const inner = onlyChildOf(outer);
    pid = inner > 0 ? onlyChildOf(inner) : 0;
    // Before it becomes that, it is still in the file system of this machine, where a command in the container would run.
    return pid > 0 && (await programOf(pid)) !== 'unshare';
  });
  return pid;
}

async function programOf(pid: number | string): Promise<string> {
  return (await readFile(`/proc/${pid}/comm`, 'utf8')).trim();
}

/** @returns the folder of a new group with this limit; null without a limit, or where groups cannot be made */
async function limitMemory(maxBytes: number | undefined): Promise<string | null> {
  if (maxBytes === undefined) return null;
  const group = join(memoryGroups, `agent-hub-test-${process.pid}-${started}`);
  try {
    await mkdir(group);
    await writeFile(join(group, 'memory.limit_in_bytes'), String(maxBytes));
    return group;
  } catch {
    return null;
  }
}

async function isRemoved(group: string): Promise<boolean> {
  await rmdir(group).catch(() => undefined);
  return !existsSync(group);
}

function run(words: readonly string[], timeoutMs: number | null) {
  const limit = timeoutMs === null ? {} : { timeout: timeoutMs };
  const { child, ended } = startProgram(words, { env: { PATH: rootPath }, ...limit });
  return {
    ended,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    /** For the program itself, which is not the first process of the container. `nsenter` passes no signals on. */
    signal: (signal: NodeJS.Signals) => void process.kill(onlyChildOf(child.pid), signal),
  };
}

function onlyChildOf(pid: number | string): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());
}
