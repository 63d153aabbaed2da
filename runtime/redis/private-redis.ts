/**
 * A Redis server of the hub's own: a child process that listens on a Unix socket in a folder only this user can enter,
 * and on no port at all. Any other Redis on the machine stays untouched.
 */
import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { askRedis } from './ask-redis.ts';
import { findRedisServer } from './find-redis-server.mjs';
import { lockFolder } from '../process/folder-lock.ts';
import { StartError } from '../process/start-error.ts';
import { spawnTethered, type TetheredProcess } from '../process/tethered-process.ts';

export interface PrivateRedis {
  /** Path of its socket, which ioredis takes in place of a URL. The same for every start in the same folder. */
  readonly url: string;
  /** Resolves when the server has ended, for whatever reason. */
  readonly exited: Promise<unknown>;
  /** Lets it write what it holds and ends it, after `stopTimeoutMs` by force. */
  stop(): Promise<void>;
}

export interface PrivateRedisOptions {
  /** Its folder, made if missing. One server at a time. */
  readonly dir: string;
  /** False keeps everything in memory and removes `dir` in the end; for tests. */
  readonly persistent?: boolean;
  /** Reading back a large append-only file takes a while. */
  readonly startTimeoutMs?: number;
}

/** The private Redis cannot run; the message tells the operator what to do. */
export class PrivateRedisError extends StartError {
  override readonly name = 'PrivateRedisError';
}

const redisStartTimeoutMs = 30_000;
const stopTimeoutMs = 10_000;
const predecessorTimeoutMs = 10_000;
const askTimeoutMs = 1000;
const pollIntervalMs = 5;
/** `sun_path` holds 108 bytes on Linux and 104 on macOS, with the closing zero. */
const maxSocketPathBytes = 100;

/** Where the server of a folder listens, whether it runs or not: what `PrivateRedis.url` says while it does. */
export function privateRedisSocket(dir: string): string {
  const folder = resolve(dir);
  const inFolder = join(folder, 'redis.sock');
  if (Buffer.byteLength(inFolder) <= maxSocketPathBytes) return inFolder;
  const id = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  const name = `agent-hub-${process.getuid?.() ?? 0}-${id}`;
  const temporary = Buffer.byteLength(tmpdir()) > maxSocketPathBytes / 2 ? '/tmp' : tmpdir();
  return join(temporary, name, 'redis.sock');
}

/**
 * Starts the server and waits until it answers. A server that a crashed run left behind in the same folder is ended first.
 * @throws {PrivateRedisError} no server program, the folder in use by a running hub, or the server does not come up
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
    throw new PrivateRedisError(`Another hub runs on ${folder}. Stop it, or set DATA_DIR to another folder.`);
  }
  try {
    const socketPath = privateRedisSocket(folder);
    if (dirname(socketPath) !== folder) await makePrivateFolder(dirname(socketPath));
    await endPredecessor(socketPath);
    const server = spawnTethered({
      command: [program, ...serverArguments(folder, socketPath, persistent)],
      stopSignal: 'SIGTERM',
      ...(persistent ? {} : { removeAfterwards: folder }),
    });
    await waitUntilReady(server, socketPath, startTimeoutMs, folder);
    return privateRedis(server, socketPath, async () => {
      lock.release();
      // The server has removed its socket, so a folder made for nothing else is empty.
      if (dirname(socketPath) !== folder) await rmdir(dirname(socketPath)).catch(() => {});
    });
  } catch (error) {
    lock.release();
    throw error;
  }
}

function privateRedis(server: TetheredProcess, socketPath: string, letGo: () => Promise<void>): PrivateRedis {
  const exited = server.exited.then(letGo);
  return {
    url: socketPath,
    exited,
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
    appendonly: persistent ? 'yes' : 'no',
    // The database is the truth and every job can be published again: a second of jobs is no loss.
    appendfsync: 'everysec',
    save: '',
    daemonize: 'no',
    loglevel: 'warning',
    'maxmemory-policy': 'noeviction',
  };
  return Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
}

async function waitUntilReady(
  server: TetheredProcess,
  socketPath: string,
  timeoutMs: number,
  folder: string,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  const ended = server.exited.then(() => true);
  let hasEnded = false;
  while (!hasEnded && performance.now() < deadline) {
    const answer = await askRedis(socketPath, 'PING', askTimeoutMs);
    if (answer.kind === 'line' && answer.line === '+PONG') return;
    hasEnded = await Promise.race([ended, Bun.sleep(pollIntervalMs).then(() => false)]);
  }
  if (!hasEnded) await server.stop(0);
  throw new PrivateRedisError(
    `The private Redis in ${folder} did not come up${hasEnded ? '' : ` within ${timeoutMs} ms`}. If its files are ` +
      `damaged, remove the folder: the database holds all that matters. Its last words:\n${server.output()}`,
  );
}

/**
 * We hold the folder's lock, so whoever answers on the socket has lost the process that started it: it is either about
 * to end or was left behind. Two servers must never append to the same file.
 */
async function endPredecessor(socketPath: string): Promise<void> {
  const deadline = performance.now() + predecessorTimeoutMs;
  while (performance.now() < deadline) {
    const answer = await askRedis(socketPath, 'SHUTDOWN', askTimeoutMs);
    if (answer.kind === 'absent') return;
    await Bun.sleep(pollIntervalMs);
  }
  throw new PrivateRedisError(
    `A Redis server of an earlier run still holds ${socketPath} and does not end. Stop it.`,
  );
}

/** Anybody can make a folder in the temporary one under a name that can be foreseen, hence the check of its owner. */
async function makePrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((cause: unknown) => {
    throw new PrivateRedisError(
      `${folder} cannot be made for the private Redis. Set DATA_DIR to a folder that this user can write to, or set REDIS_URL.`,
      { isSetting: true, cause },
    );
  });
  const status = await lstat(folder);
  const ownedByOther = process.getuid !== undefined && status.uid !== process.getuid();
  if (!status.isDirectory() || ownedByOther) {
    throw new PrivateRedisError(`${folder} must be a folder of the user who runs the hub.`);
  }
  await chmod(folder, 0o700);
}
