import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { systemClock } from '#runtime/clock.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { redeem } from '#test/harness/eval-runs.ts';
import { hubProgram } from '#test/harness/hub-binary.ts';
import { startTestRedis, type TestRedis } from '#test/harness/redis.ts';
import { startProgram } from '#test/harness/run-program.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { useScratchStore } from '#test/harness/stores.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';

let redis: TestRedis;
const store = useScratchStore('sqlite');
const dataDir = useTestFolder();
const children: Bun.Subprocess[] = [];

beforeAll(async () => {
  redis = await startTestRedis();
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
});
afterAll(async () => {
  await redis.stop();
});

function wellSet(): Record<string, string> {
  if (store.setting.kind !== 'sqlite') throw new Error('The test runs on SQLite.');
  return { DATABASE_URL: `sqlite:${store.setting.file}`, REDIS_URL: redis.url };
}

/** Starts an API process that listens. */
async function startListening(env: Record<string, string> = {}) {
  const api = startProgram(hubProgram('api'), {
    env: { PATH: process.env['PATH'], DATA_DIR: dataDir, PORT: '0', ...wellSet(), ...env },
  });
  children.push(api.child);
  const [, url = ''] = await api.until(/"url":"([^"]+)"/);
  return { ...api, url: new URL(url) };
}

/** Stops a process gracefully. It exits with 0 even if a shutdown step times out, but then logs it. */
async function endInOrder({ child, ended }: Awaited<ReturnType<typeof startListening>>): Promise<void> {
  child.kill('SIGTERM');
  const { exitCode, printed } = await ended;
  expect(exitCode).toBe(0);
  expect(printed).not.toContain('did not complete');
}

const isRefused = (url: URL): Promise<boolean> =>
  fetch(new URL('/v1/health', url)).then(
    () => false,
    () => true,
  );

describe('the API process', () => {
  test('completes a request in flight before it exits, and accepts no new ones', async () => {
    const api = await startListening();
    const { url } = api;
    expect((await fetch(new URL('/readyz', url))).status).toBe(200);
    const body = JSON.stringify({ handle: 'nobody' });
    let received = '';
    const socket = await Bun.connect({
      hostname: url.hostname,
      port: Number(url.port),
      socket: { data: (_, chunk) => void (received += chunk.toString()) },
    });
    socket.write(
      `POST /v1/agents/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    await waitUntil(() => received !== '');
    expect(received).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    received = '';
    const ended = endInOrder(api);
    await waitUntil(() => isRefused(url));
    expect(received).toBe('');
    socket.write(body);
    await ended;
    expect(received).toStartWith('HTTP/1.1 404');
    expect(received).toContain('"error":"unknown_handle"');
  });

  test('closes open streams, so that they do not delay the shutdown', async () => {
    const ctx = { ...createTestCtx(store.db), clock: systemClock };
    const agent = await createTestAgent(ctx, { tokens: 1 });
    const { evalRun } = await redeem(ctx, agent.id, 'http://127.0.0.1:9/');
    const api = await startListening();
    const stream = await fetch(new URL(`/v1/runs/${evalRun.id}/events`, api.url), {
      headers: { authorization: `Bearer ${agent.bearerToken}` },
    });
    expect(stream.status).toBe(200);
    const text = stream.text();
    await endInOrder(api);
    expect(await text).toStartWith('retry: ');
  });

  test('serves requests without Redis, and reports that it is not ready', async () => {
    const api = await startListening({ REDIS_URL: join(dataDir, 'nobody.sock') });
    expect((await fetch(new URL('/v1/health', api.url))).status).toBe(200);
    expect((await fetch(new URL('/readyz', api.url))).status).toBe(503);
    await endInOrder(api);
  });
});
