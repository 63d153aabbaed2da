import { afterAll, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Redis } from 'ioredis';
import { findRedisServer } from '#runtime/redis/find-redis-server.mjs';
import { PrivateRedisError, startPrivateRedis } from '#runtime/redis/private-redis.ts';
import { startTestRedis } from '#test/harness/redis.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

const scratch = mkdtempSync(join(tmpdir(), 'agent-hub-test-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

async function withClient<T>(url: string, use: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url, { retryStrategy: () => null });
  // What is asked of it fails; without a listener that would be printed as well.
  client.on('error', () => undefined);
  try {
    return await use(client);
  } finally {
    client.disconnect();
  }
}

/** The server's own process id, to play the crash. */
async function serverPid(url: string): Promise<number> {
  const info = await withClient(url, (client) => client.info('server'));
  return Number(/process_id:(\d+)/.exec(info)?.[1]);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => null,
    (error: unknown) => error,
  );
}

test('what was written survives an orderly stop', async () => {
  const dir = join(scratch, 'durable');
  const first = await startPrivateRedis({ dir });
  await withClient(first.url, (client) => client.set('name', 'value'));
  await first.stop();
  const second = await startPrivateRedis({ dir });
  expect(second.url).toBe(first.url);
  expect(await withClient(second.url, (client) => client.get('name'))).toBe('value');
  await second.stop();
});

test('it listens on no port and only its user can reach its socket', async () => {
  const redis = await startPrivateRedis({ dir: join(scratch, 'hidden') });
  expect(await withClient(redis.url, (client) => client.config('GET', 'port'))).toEqual(['port', '0']);
  expect(statSync(dirname(redis.url)).mode & 0o777).toBe(0o700);
  await redis.stop();
});

test('a folder whose path is too long for a socket works all the same', async () => {
  const redis = await startPrivateRedis({ dir: join(scratch, 'long'.repeat(30)) });
  expect(Buffer.byteLength(redis.url)).toBeLessThanOrEqual(100);
  expect(await withClient(redis.url, (client) => client.ping())).toBe('PONG');
  await redis.stop();
  expect(existsSync(dirname(redis.url))).toBe(false);
});

test('a second hub on the same folder is refused and the first goes on', async () => {
  const dir = join(scratch, 'shared');
  const redis = await startPrivateRedis({ dir });
  const second = Bun.spawn([process.execPath, join(import.meta.dir, 'hold-private-redis.ts'), dir], {
    stderr: 'pipe',
  });
  expect(await second.exited).not.toBe(0);
  expect(await new Response(second.stderr).text()).toContain('Another hub runs in');
  expect(await failureOf(startPrivateRedis({ dir }))).toBeInstanceOf(PrivateRedisError);
  expect(await withClient(redis.url, (client) => client.ping())).toBe('PONG');
  await redis.stop();
});

test('the server ends when the process that started it is killed, and a new one takes over its data', async () => {
  const dir = join(scratch, 'orphan');
  const holder = Bun.spawn([process.execPath, join(import.meta.dir, 'hold-private-redis.ts'), dir], {
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const reader = holder.stdout.getReader();
  const url = new TextDecoder().decode((await reader.read()).value).trim();
  const pid = await serverPid(url);
  await withClient(url, (client) => client.set('name', 'kept'));
  holder.kill('SIGKILL');
  await holder.exited;
  // Started at once, while the orphan may still be on its way out.
  const redis = await startPrivateRedis({ dir });
  expect(isAlive(pid)).toBe(false);
  expect(await withClient(redis.url, (client) => client.get('name'))).toBe('kept');
  await redis.stop();
});

test('a server that lost everyone who knew it is ended before a new one starts', async () => {
  const dir = join(scratch, 'stray');
  const probe = await startPrivateRedis({ dir });
  await probe.stop();
  const stray = Bun.spawn(
    [
      findRedisServer() ?? '',
      '--port',
      '0',
      '--unixsocket',
      probe.url,
      '--dir',
      dir,
      '--appendonly',
      'yes',
      '--save',
      '',
    ],
    { stdout: 'ignore', stderr: 'ignore' },
  );
  // A server makes its socket a moment before it listens on it.
  const isNamed = (): Promise<boolean> =>
    withClient(probe.url, (client) => client.set('name', 'stray')).then(
      () => true,
      () => false,
    );
  await waitUntil(isNamed);
  const redis = await startPrivateRedis({ dir });
  expect(await stray.exited).toBe(0);
  expect(await withClient(redis.url, (client) => client.get('name'))).toBe('stray');
  await redis.stop();
});

test('a server that dies is noticed and can be started again in its place', async () => {
  const dir = join(scratch, 'crash');
  const first = await startPrivateRedis({ dir });
  process.kill(await serverPid(first.url), 'SIGKILL');
  await first.exited;
  const second = await startPrivateRedis({ dir });
  expect(await withClient(second.url, (client) => client.ping())).toBe('PONG');
  await second.stop();
});

test('damaged files are reported with the last words of the server', async () => {
  const dir = join(scratch, 'damaged');
  const redis = await startPrivateRedis({ dir });
  await redis.stop();
  await Bun.write(join(dir, 'appendonlydir', 'appendonly.aof.manifest'), 'nonsense');
  const failure = await failureOf(startPrivateRedis({ dir }));
  expect(String(failure)).toMatch(/did not start.*remove the folder.*manifest/is);
});

test('a server whose holder remembers its address alone keeps running', async () => {
  const { url } = await startTestRedis();
  Bun.gc(true);
  await Bun.sleep(50);
  Bun.gc(true);
  expect(await withClient(url, (client) => client.ping())).toBe('PONG');
});

test('a test server leaves neither process nor folder', async () => {
  const redis = await startTestRedis();
  const pid = await serverPid(redis.url);
  await redis.stop();
  expect(isAlive(pid)).toBe(false);
  expect(existsSync(dirname(redis.url))).toBe(false);
});
