import { expect, test } from 'bun:test';
import { existsSync, mkdtempSync, statSync, chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Redis } from 'ioredis';
import { findRedisServer } from '#runtime/redis/find-redis-server.mjs';
import { PrivateRedisError, startPrivateRedis } from '#runtime/redis/private-redis.ts';
import { failureOf } from '#test/harness/failure-of.ts';
import { redisPidOf } from '#test/harness/redis.ts';
import { startProgram } from '#test/harness/run-program.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { isAlive } from '#runtime/process/is-alive.ts';

const scratch = useTestFolder();

async function withClient<T>(url: string, use: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url, { retryStrategy: () => null });
  // Its commands fail; without a listener the error would also be printed.
  client.on('error', () => undefined);
  try {
    return await use(client);
  } finally {
    client.disconnect();
  }
}

/** Starts a process that holds the private Redis of a folder. */
const holdElsewhere = (dir: string) =>
  startProgram([process.execPath, join(import.meta.dir, 'hold-private-redis.ts'), dir]);

test('data survives an orderly shutdown', async () => {
  const dir = join(scratch, 'durable');
  const first = await startPrivateRedis({ dir });
  await withClient(first.url, (client) => client.set('name', 'value'));
  await first.stop();
  const second = await startPrivateRedis({ dir });
  expect(second.url).toBe(first.url);
  expect(await withClient(second.url, (client) => client.get('name'))).toBe('value');
  await second.stop();
});

test('it listens on no port, and only its user can access its socket', async () => {
  const redis = await startPrivateRedis({ dir: join(scratch, 'hidden') });
  expect(await withClient(redis.url, (client) => client.config('GET', 'port'))).toEqual(['port', '0']);
  expect(statSync(dirname(redis.url)).mode & 0o777).toBe(0o700);
  await redis.stop();
});

test('a folder whose path is too long for a socket works', async () => {
  const redis = await startPrivateRedis({ dir: join(scratch, 'long'.repeat(30)) });
  expect(Buffer.byteLength(redis.url)).toBeLessThanOrEqual(100);
  expect(await withClient(redis.url, (client) => client.ping())).toBe('PONG');
  await redis.stop();
  expect(existsSync(dirname(redis.url))).toBe(false);
});

test('a folder may have characters that mean something in an address', async () => {
  const redis = await startPrivateRedis({ dir: join(scratch, `a?b#c%20'"d e`) });
  expect(await withClient(redis.url, (client) => client.ping())).toBe('PONG');
  await redis.stop();
});

test('a second hub on the same folder is rejected and the first keeps running', async () => {
  const dir = join(scratch, 'shared');
  const redis = await startPrivateRedis({ dir });
  const second = await holdElsewhere(dir).ended;
  expect(second.exitCode).not.toBe(0);
  expect(second.complaints).toContain('Another hub runs in');
  await expect(startPrivateRedis({ dir })).rejects.toBeInstanceOf(PrivateRedisError);
  expect(await withClient(redis.url, (client) => client.ping())).toBe('PONG');
  await redis.stop();
});

test('the server ends when its parent process is killed, and a new one takes over the data', async () => {
  const dir = join(scratch, 'orphan');
  const holder = holdElsewhere(dir);
  const [url] = await holder.until(/.+(?=\n)/);
  const pid = await redisPidOf(url);
  await withClient(url, (client) => client.set('name', 'kept'));
  holder.child.kill('SIGKILL');
  await holder.child.exited;
  // Started at once, while the orphaned server may still be exiting.
  const redis = await startPrivateRedis({ dir });
  expect(isAlive(pid)).toBe(false);
  expect(await withClient(redis.url, (client) => client.get('name'))).toBe('kept');
  await redis.stop();
});

test('an orphaned server is stopped before a new one starts', async () => {
  const dir = join(scratch, 'stray');
  const probe = await startPrivateRedis({ dir });
  await probe.stop();
  const flags = ['--port', '0', '--unixsocket', probe.url, '--dir', dir, '--appendonly', 'yes', '--save', ''];
  const { ended: strayEnded } = startProgram([findRedisServer() ?? '', ...flags]);
  // The socket exists a moment before the server listens on it.
  const name = () => withClient(probe.url, (client) => client.set('name', 'stray'));
  await waitUntil(async () => (await failureOf(name())) === null);
  const redis = await startPrivateRedis({ dir });
  expect(await strayEnded).toMatchObject({ exitCode: 0 });
  expect(await withClient(redis.url, (client) => client.get('name'))).toBe('stray');
  await redis.stop();
});

test('a crash of the server is detected, and a replacement can be started', async () => {
  const dir = join(scratch, 'crash');
  const first = await startPrivateRedis({ dir });
  process.kill(await redisPidOf(first.url), 'SIGKILL');
  await first.exited;
  const second = await startPrivateRedis({ dir });
  expect(await withClient(second.url, (client) => client.ping())).toBe('PONG');
  await second.stop();
});

const damaged = '*3\r\n$3\r\nSET\r\n$1\r\na\r\n$9\r\nxx\r\n*1\r\n$4\r\nPING\r\n';
test.each([
  ['a manifest that is none', 'appendonly.aof.manifest', 'nonsense'],
  ['a damaged middle', 'appendonly.aof.1.incr.aof', damaged],
])('%s is set aside, and the server starts without its files', async (_, file, content) => {
  const dir = join(scratch, `damaged-${file}`);
  const redis = await startPrivateRedis({ dir });
  expect(redis.setAside).toBeNull();
  await redis.stop();
  for (let time = 0; time < 2; time += 1) {
    await Bun.write(join(dir, 'appendonlydir', file), content);
    const again = await startPrivateRedis({ dir });
    expect(again.setAside).toBe(join(dir, 'damaged'));
    expect(await Bun.file(join(dir, 'damaged', file)).text()).toBe(content);
    expect(await withClient(again.url, (client) => client.dbsize())).toBe(0);
    await again.stop();
  }
  const later = await startPrivateRedis({ dir });
  expect(later.setAside).toBeNull();
  await later.stop();
});

function folderWith(name: string, mode: number): string {
  const folder = mkdtempSync(join(scratch, 'bin-'));
  writeFileSync(join(folder, name), '');
  chmodSync(join(folder, name), mode);
  return folder;
}

test('redis-server on PATH is preferred over valkey-server, whatever their order on PATH', () => {
  const valkey = folderWith('valkey-server', 0o755);
  const redis = folderWith('redis-server', 0o755);
  expect(findRedisServer(`${valkey}:${redis}`)).toBe(join(redis, 'redis-server'));
  expect(findRedisServer(`:${valkey}:`)).toBe(join(valkey, 'valkey-server'));
});

test('files that are not executable and folders with that name are skipped', () => {
  const file = folderWith('redis-server', 0o644);
  const folder = mkdtempSync(join(scratch, 'bin-'));
  mkdirSync(join(folder, 'redis-server'));
  const valkey = folderWith('valkey-server', 0o755);
  expect(findRedisServer(`${file}:${folder}:${valkey}`)).toBe(join(valkey, 'valkey-server'));
});
