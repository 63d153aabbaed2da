/** Many programs log in with one key at once, at two API processes. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiProcess, startApiProcess } from '#test/harness/api-process.ts';
import { startTestRedis, type TestRedis } from '#test/harness/redis.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { newKey } from '../domain/agents/sign-up.ts';

const atOnce = 32;

forEachStore((store) => {
  let redis: TestRedis;
  let dataDir: string;
  let apis: readonly ApiProcess[] = [];

  beforeAll(async () => {
    redis = await startTestRedis();
    dataDir = await mkdtemp(join(tmpdir(), 'hub-logins-'));
    const stores = { database: store.setting, redisUrl: redis.url };
    const environment = { DATA_DIR: dataDir, REGISTRATIONS_PER_MINUTE: '0' };
    apis = await Promise.all([1, 2].map(() => startApiProcess(stores, environment)));
  });
  afterAll(async () => {
    expect(await Promise.all(apis.map((api) => api.end('SIGTERM')))).toEqual([0, 0]);
    await redis.stop();
    await rm(dataDir, { recursive: true });
  });

  async function post(which: number, step: string, body: object) {
    const response = await fetch(`${apis[which % 2]?.url}/v1/agents/${step}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: await response.json() };
  }

  test('32 logins with one key at once all succeed, each with a token that works at both', async () => {
    const key = newKey();
    const handle = 'many-jobs';
    const opened = await post(0, 'register', { handle, agent_type: 'other', public_key: key.publicKey });
    await post(1, 'verify', { handle, signature: key.sign(opened.body.challenge) });
    const logins = Array.from({ length: atOnce }, async (_, job) => {
      const { body } = await post(job, 'login', { handle });
      return post(job + (job % 3), 'verify', { handle, signature: key.sign(body.challenge) });
    });
    const verified = await Promise.all(logins);
    expect(verified.map(({ status }) => status)).toEqual(Array.from({ length: atOnce }, () => 200));
    const tokens = verified.map(({ body }): string => body.token);
    expect(new Set(tokens).size).toBe(atOnce);
    const seen = tokens.flatMap((token) =>
      apis.map(async ({ url }) => {
        const { status } = await fetch(`${url}/v1/agents/me`, {
          headers: { authorization: `Bearer ${token}` },
        });
        return status;
      }),
    );
    expect(new Set(await Promise.all(seen))).toEqual(new Set([200]));
  });
});
