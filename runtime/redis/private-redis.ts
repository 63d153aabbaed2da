/**
 * The hub's own Redis server: a child process on a Unix socket, in a folder that only this user can enter,
 * without a TCP port. Other Redis servers on the machine are not affected.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, lstat, mkdir, rename, rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { findRedisServer } from './find-redis-server.mjs';
import { lockFolder } from '../process/folder-lock.ts';
import { StartError } from '../process/start-error.ts';
import { spawnTethered, type TetheredProcess } from '../process/tethered-process.ts';

export interface PrivateRedis {
  /** The path of its socket, which ioredis accepts as a URL. Always the same for one folder. */
  readonly url: string;
  /** Resolves when the server has ended, for any reason. */
  readonly exited: Promise<unknown>;
  /** Where files went from which the server could not start; null if it took them. */
  readonly setAside: string | null;
  /** Lets the server write its data and stops it, by force after `stopTimeoutMs`. */
  stop(): Promise<void>;
}

export interface PrivateRedisOptions {
  /** The server's folder, created if missing. It holds one server at a time. */
  readonly dir: string;
  /** False keeps all data in memory and removes `dir` at the end; for tests. */
  readonly persistent?: boolean;
  /** Loading a large append-only file takes a while. */
  readonly startTimeoutMs?: number;
}

/** The private Redis cannot run. The message tells the operator how to fix it. */
export class PrivateRedisError extends StartError {
  override readonly name = 'PrivateRedisError';
}

const redisStartTimeoutMs = 30_000;
const stopTimeoutMs = 10_000;
const predecessorTimeoutMs = 10_000;
const askTimeoutMs = 1000;
const pollIntervalMs = 5;
/** `sun_path` has 108 bytes on Linux and 104 on macOS, including the final zero. */
const maxSocketPathBytes = 100;

/** The socket of the server in a folder, whether it runs or not. Equals `PrivateRedis.url`. */
export function privateRedisSocket(dir: string): string {
  const folder = resolve(dir);
  const inFolder = join(folder, 'redis.sock');
  // For the client, what follows a question mark is no part of the path.
  if (Buffer.byteLength(inFolder) <= maxSocketPathBytes && !inFolder.includes('?')) return inFolder;
  const id = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  const name = `agent-hub-${process.getuid?.() ?? 0}-${id}`;
  const temporary = Buffer.byteLength(tmpdir()) > maxSocketPathBytes / 2 ? '/tmp' : tmpdir();
  return join(temporary, name, 'redis.sock');
}

/**
 * Starts the server and waits until it responds. First stops a server that a crashed run left in the same folder. If it
 * ends at once, its files are damaged: they are set aside and it starts without them, because the database holds
 * everything that matters.
 * @throws {PrivateRedisError} if there is no server program, a running hub uses the folder, or the server
 * does not start
 */
export async function startPrivateRedis({
  dir,
  persistent = true,
  startTimeoutMs = redisStartTimeoutMs,
}: PrivateRedisOptions): Promise<PrivateRedis> {
  const program = findRedisServer();
  if (program === null) {
    throw new PrivateRedisError('No redis-server or valkey-server was found. Install one, or set REDIS_URL.');
  }
  const folder = resolve(dir);
  await makePrivateFolder(folder);
  const lock = lockFolder(folder);
  if (lock === null) {
    throw new PrivateRedisError(`Another hub runs in ${folder}. Stop it, or set DATA_DIR to another folder.`);
  }
  try {
    const socketPath = privateRedisSocket(folder);
    if (dirname(socketPath) !== folder) await makePrivateFolder(dirname(socketPath));
    await endPredecessor(socketPath);
    const spawn = () =>
      spawnTethered({
        command: [program, ...serverArguments(folder, socketPath, persistent)],
        // Redis notices SIGTERM only ten times a second. Without data to write, it need not.
        stopSignal: persistent ? 'SIGTERM' : 'SIGKILL',
        ...(persistent ? {} : { removeAfterwards: folder }),
      });
    let server = spawn();
    let setAside: string | null = null;
    if (!(await isReady(server, socketPath, startTimeoutMs))) {
      setAside = await setFilesAside(folder);
      if (setAside === null) throw notStarted(server, folder);
      server = spawn();
      if (!(await isReady(server, socketPath, startTimeoutMs))) throw notStarted(server, folder);
    }
    return privateRedis(server, socketPath, setAside, async () => {
      lock.release();
      // Created only for the socket.
      if (dirname(socketPath) !== folder) await rm(dirname(socketPath), { recursive: true, force: true });
    });
  } catch (error) {
    lock.release();
    throw error;
  }
}

function privateRedis(
  server: TetheredProcess,
  socketPath: string,
  setAside: string | null,
  letGo: () => Promise<void>,
): PrivateRedis {
  const exited = server.exited.then(letGo);
  return {
    url: socketPath,
    exited,
    setAside,
    stop: async () => {
      await server.stop(stopTimeoutMs);
      await exited;
    },
  };
}

function serverArguments(folder: string, socketPath: string, persistent: boolean): string[] {
  const options: Record<string, string> = {
    port: '0',
    unixsocket: socketPath,
    unixsocketperm: '700',
    dir: folder,
    appenddirname: filesName,
    appendonly: persistent ? 'yes' : 'no',
    // The database is the truth and every job can be published again, so losing a second of jobs is harmless.
    appendfsync: 'everysec',
    save: '',
    daemonize: 'no',
    loglevel: 'warning',
    'maxmemory-policy': 'noeviction',
  };
  return Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
}

const filesName = 'appendonlydir';
const setAsideName = 'damaged';

/** @returns where they are now; null if there were none */
async function setFilesAside(folder: string): Promise<string | null> {
  const [from, to] = [join(folder, filesName), join(folder, setAsideName)];
  if (!existsSync(from)) return null;
  await rm(to, { recursive: true, force: true });
  await rename(from, to);
  return to;
}

/**
 * @returns false if the server has ended
 * @throws {PrivateRedisError} if it does not respond in time; it may have much to load
 */
async function isReady(server: TetheredProcess, socketPath: string, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  const ended = server.exited.then(() => true);
  let hasEnded = false;
  while (!hasEnded && performance.now() < deadline) {
    const answer = await askRedis(socketPath, 'PING', askTimeoutMs);
    if (answer.kind === 'line' && answer.line === '+PONG') return true;
    hasEnded = await Promise.race([ended, Bun.sleep(pollIntervalMs).then(() => false)]);
  }
  if (hasEnded) return false;
  await server.stop(0);
  throw new PrivateRedisError(
    `The private Redis at ${socketPath} did not start within ${timeoutMs} ms. Its last output:\n${server.output()}`,
  );
}

function notStarted(server: TetheredProcess, folder: string): PrivateRedisError {
  return new PrivateRedisError(
    `The private Redis in ${folder} did not start. Its last output:\n${server.output()}`,
  );
}

/**
 * This process holds the folder's lock, so a server on the socket has lost the process that started it. It is
 * about to stop, or was left behind. Two servers must never append to the same file.
 */
async function endPredecessor(socketPath: string): Promise<void> {
  const deadline = performance.now() + predecessorTimeoutMs;
  while (performance.now() < deadline) {
    const answer = await askRedis(socketPath, 'SHUTDOWN', askTimeoutMs);
    if (answer.kind === 'absent') return;
    await Bun.sleep(pollIntervalMs);
  }
  throw new PrivateRedisError(
    `A Redis server of an earlier run still holds ${socketPath} and does not stop. Stop it.`,
  );
}

/** Checks the owner, because anybody can create a folder with a predictable name in the temporary folder. */
async function makePrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((cause: unknown) => {
    throw new PrivateRedisError(
      `${folder} cannot be created for the private Redis. Set DATA_DIR to a folder that this user can write to, or set REDIS_URL.`,
      { isSetting: true, cause },
    );
  });
  const status = await lstat(folder);
  const ownedByOther = process.getuid !== undefined && status.uid !== process.getuid();
  if (!status.isDirectory() || ownedByOther) {
    throw new PrivateRedisError(`${folder} must be a folder owned by the user that runs the hub.`);
  }
  await chmod(folder, 0o700);
}

type RedisAnswer =
  | { readonly kind: 'line'; readonly line: string }
  /** Nothing listens. */
  | { readonly kind: 'absent' }
  /** The server does not reply, or hangs up. */
  | { readonly kind: 'silent' };

/** Sends one command and returns the first line of the reply. Never throws. */
function askRedis(socketPath: string, command: 'PING' | 'SHUTDOWN', timeoutMs: number): Promise<RedisAnswer> {
  return new Promise((resolve) => {
    let received = '';
    let connected = false;
    const socket = createConnection({ path: socketPath });
    const answer = (value: RedisAnswer): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(value);
    };
    const timer = setTimeout(() => answer({ kind: 'silent' }), timeoutMs);
    socket.on('connect', () => {
      connected = true;
      socket.write(`${command}\r\n`);
    });
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      const end = received.indexOf('\r\n');
      if (end !== -1) answer({ kind: 'line', line: received.slice(0, end) });
    });
    socket.on('error', () => answer({ kind: connected ? 'silent' : 'absent' }));
    socket.on('close', () => answer({ kind: connected ? 'silent' : 'absent' }));
  });
}
