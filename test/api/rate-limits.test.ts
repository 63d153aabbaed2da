import { afterAll, describe, expect, setSystemTime, test } from 'bun:test';
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { agentRoutes } from '#api/agents/routes.ts';
import { type ApiSettings } from '#api/deps.ts';
import { edge, input, replies } from '#api/plugins/edge.ts';
import { object } from '#api/schemas.ts';
import { issueBearerToken } from '#domain/agents/bearer-tokens.ts';
import { createBearerToken } from '#domain/agents/token-bearers.ts';
import { redisNames } from '#runtime/redis/redis-names.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { startTestHub, type TestHub, type TestHubOptions } from '#test/harness/hub.ts';
import { startTestRedis } from '#test/harness/redis.ts';
import { useScratchStore } from '#test/harness/stores.ts';
import { type ActingAgent } from '#domain/context.ts';
import { claimantOfCaller, createReadTurns } from '#api/access/read-turns.ts';

const response = replies({ 200: { description: 'Yes.', schema: object({ ok: Type.Boolean() }) } });
const detail = () => ({ summary: 'Be counted' });
const counted = () => ({ ok: true });

const modules = [
  new Elysia({ tags: ['service'] })
    .use(edge)
    .get('/open', counted, { anyone: true, response, detail: detail() })
    .post('/open', counted, { anyone: true, response, detail: detail() })
    .post('/join', counted, { anyone: true, limit: 'registrations', response, detail: detail() })
    .get('/free', counted, { anyone: true, limit: 'none', response, detail: detail() })
    .get('/mine', counted, { agent: true, response, detail: detail() })
    .get('/find', counted, {
      anyone: true,
      query: input(object({ q: Type.Optional(Type.String()) })),
      response,
      detail: detail(),
    })
    .get('/inside', counted, { operator: true, limit: 'none', response, detail: detail() }),
  agentRoutes,
];

const store = useScratchStore('sqlite');
const hubs: TestHub[] = [];

afterAll(async () => {
  for (const hub of hubs) await hub.close();
});

async function startHub(
  settings: Partial<ApiSettings>,
  redisUrl?: string,
  options: Partial<TestHubOptions> = {},
): Promise<TestHub> {
  const hub = await startTestHub({
    store,
    modules,
    ...options,
    settings: { trustedProxies: ['127.0.0.0/8'], ...settings },
    ...(redisUrl === undefined ? {} : { redisUrl }),
  });
  hubs.push(hub);
  return hub;
}

/** The number of calls that succeed before the first 429. */
async function countLetThrough(hub: TestHub, path: string, request: object, calls: number): Promise<number> {
  for (let call = 0; call < calls; call += 1) {
    const { status } = await hub.fetch(path, request);
    if (status === 429) return call;
    expect(status).toBeLessThan(500);
  }
  return calls;
}

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });

describe('a rate limit', () => {
  test('lets the limit through per minute and returns 429 with Retry-After to further calls', async () => {
    const hub = await startHub({ readsPerMinute: 3 });
    expect(await countLetThrough(hub, '/open', from('203.0.113.1'), 10)).toBe(3);
    const rejected = await hub.fetch('/open', from('203.0.113.1'));
    expectError(rejected, 429, 'rate_limited');
    expect(Number(rejected.headers.get('retry-after'))).toBeWithin(1, 61);
  });

  test('counts each network separately, and an IPv6 /64 as one', async () => {
    const hub = await startHub({ readsPerMinute: 2 });
    expect(await countLetThrough(hub, '/open', from('203.0.113.1'), 5)).toBe(2);
    expect(await countLetThrough(hub, '/open', from('203.0.113.2'), 5)).toBe(2);
    expect(await countLetThrough(hub, '/open', from('2001:db8::1'), 1)).toBe(1);
    expect(await countLetThrough(hub, '/open', from('2001:db8::ffff:1'), 5)).toBe(1);
    expect(await countLetThrough(hub, '/open', from('2001:db8:0:1::1'), 5)).toBe(2);
  });

  test.each([
    ['registrations', 'POST', '/join', 200],
    ['wrong keys', 'GET', '/inside', 401],
  ] as const)(
    'on %s lets the /64 networks of a /48 through sixteen times, those of a /56 four times',
    async (_, method, path, through) => {
      const hub = await startHub({ registrationsPerMinute: 2, operatorKey: 'the-operators-key' });
      const countFrom = async (networks: readonly string[]): Promise<number> => {
        let count = 0;
        for (const network of networks) {
          const request = { method, token: 'a-guess', ...from(`${network}::1`) };
          if ((await hub.fetch(path, request)).status === through) count += 1;
        }
        return count;
      };
      const subnets = Array.from({ length: 12 }, (__, subnet) => subnet.toString(16).padStart(2, '0'));
      const block = (name: string) => subnets.map((subnet) => `2001:db8:7:${name}${subnet}`);
      // A network over its own limit does not use up that of its neighbours.
      expect(await countFrom(Array<string>(40).fill('2001:db8:7:100'))).toBe(2);
      expect(await countFrom(block('1').slice(1))).toBe(6);
      expect([await countFrom(block('2')), await countFrom(block('3'))]).toEqual([8, 8]);
      expect([await countFrom(block('4')), await countFrom(block('5'))]).toEqual([8, 0]);
      expect(await countFrom(['2001:db8:8:500', '2001:db8:8:501'])).toBe(2);
    },
  );

  test('keeps nobody waiting when the clock was ahead and is corrected', async () => {
    const aheadMs = 3 * 3_600_000;
    const hub = await startHub({ readsPerMinute: 2 });
    setSystemTime(Date.now() + aheadMs);
    try {
      expect(await countLetThrough(hub, '/open', from('203.0.113.7'), 5)).toBe(2);
    } finally {
      setSystemTime();
    }
    const { redis } = hub.deps;
    // As if the clock of Redis had been ahead too.
    for (const key of await redis.keys(`${redisNames.rateLimits}*`)) await redis.pexpire(key, aheadMs);
    expect(await countLetThrough(hub, '/open', from('203.0.113.7'), 5)).toBe(2);
  });

  test('stores no client address in Redis, which writes to disk', async () => {
    const hub = await startHub({ readsPerMinute: 2 });
    await hub.fetch('/open', from('203.0.113.1'));
    const names = await hub.deps.redis.keys('*');
    expect(names.filter((name) => name.includes('network:'))).toHaveLength(1);
    expect(names.filter((name) => name.includes('203.0.113'))).toEqual([]);
  });

  test('counts each agent separately, from any network', async () => {
    const hub = await startHub({ readsPerMinute: 2 });
    const [one, two] = [await createTestAgent(hub.ctx), await createTestAgent(hub.ctx)];
    for (const [agent, address, through] of [
      [one, '203.0.113.1', 2],
      [one, '203.0.113.2', 0],
      [two, '203.0.113.1', 2],
    ] as const) {
      const request = { token: agent.bearerToken, ...from(address) };
      expect(await countLetThrough(hub, '/mine', request, 5)).toBe(through);
    }
    expect(await countLetThrough(hub, '/open', from('203.0.113.1'), 5)).toBe(2);
  });

  test('counts all tokens of an agent together, and does not count calls with a token against the network', async () => {
    const hub = await startHub({ readsPerMinute: 3 });
    const { id, bearerToken } = await createTestAgent(hub.ctx);
    const other = await hub.ctx.db.transaction((tx) => issueBearerToken({ ...hub.ctx, db: tx }, id));
    const read = (path: string, token: string) =>
      countLetThrough(hub, path, { token, ...from('203.0.113.1') }, 2);
    expect([await read('/mine', bearerToken), await read('/open', other)]).toEqual([2, 1]);
    expect(await countLetThrough(hub, '/open', from('203.0.113.1'), 5)).toBe(3);
    expect(await read('/mine', other)).toBe(0);
  });

  test('on searches counts only requests with search words, which also count as reads', async () => {
    const hub = await startHub({ searchesPerMinute: 2, readsPerMinute: 5 });
    expect(await countLetThrough(hub, '/find?q=words', from('203.0.113.1'), 5)).toBe(2);
    expect(await countLetThrough(hub, '/find', from('203.0.113.1'), 5)).toBe(2);
    expectError(await hub.fetch('/find?q=words', from('203.0.113.1')), 429, 'rate_limited');
    const { bearerToken: token } = await createTestAgent(hub.ctx);
    expect(await countLetThrough(hub, '/find?q=words', { token, ...from('203.0.113.1') }, 5)).toBe(2);
  });

  test('on searches counts those for agents with a skill', async () => {
    const hub = await startHub({ searchesPerMinute: 2 });
    expect(await countLetThrough(hub, '/v1/agents?skill=sums', {}, 5)).toBe(2);
    expect(await countLetThrough(hub, '/v1/agents?q=sums', {}, 1)).toBe(0);
    expect(await countLetThrough(hub, '/v1/agents', {}, 5)).toBe(5);
  });

  test('counts calls without a valid token by network, so that guessing is not free', async () => {
    const hub = await startHub({ readsPerMinute: 3 });
    const statuses: number[] = [];
    for (let guess = 0; guess < 5; guess += 1) {
      const request = { token: createBearerToken(), ...from('203.0.113.1') };
      statuses.push((await hub.fetch('/mine', request)).status);
    }
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
  });

  test('is separate for reads, writes and registrations, and some modules have none', async () => {
    const hub = await startHub({ readsPerMinute: 1, writesPerMinute: 2, registrationsPerMinute: 3 });
    expect(await countLetThrough(hub, '/open', {}, 5)).toBe(1);
    expect(await countLetThrough(hub, '/open', { method: 'POST' }, 5)).toBe(2);
    expect(await countLetThrough(hub, '/join', { method: 'POST' }, 5)).toBe(3);
    expect(await countLetThrough(hub, '/free', {}, 5)).toBe(5);
  });

  test('of reads includes 404 and 405, by network', async () => {
    const hub = await startHub({ readsPerMinute: 3 });
    for (const [method, path, status] of [
      ['GET', '/nowhere', 404],
      ['DELETE', '/open', 405],
      ['POST', '/nowhere/at/all', 404],
      ['GET', '/nowhere', 429],
      ['DELETE', '/open', 429],
      ['GET', '/open', 429],
    ] as const)
      expect((await hub.fetch(path, { method, ...from('203.0.113.1') })).status).toBe(status);
    expect((await hub.fetch('/nowhere', from('203.0.113.2'))).status).toBe(404);
  });

  test('of wrong operator keys blocks a network for a while, even with the right key, and no other network', async () => {
    const operatorKey = 'the-operators-key';
    const hub = await startHub({ registrationsPerMinute: 3, operatorKey });
    const ask = async (key: string, address: string) => {
      const headers = { authorization: `Bearer ${key}`, 'x-forwarded-for': address };
      return (await hub.fetch('/inside', { headers })).status;
    };
    const guesses: number[] = [];
    for (let guess = 0; guess < 5; guess += 1) guesses.push(await ask(`guess-${guess}`, '203.0.113.1'));
    expect(guesses).toEqual([401, 401, 401, 429, 429]);
    expect(await ask(operatorKey, '203.0.113.1')).toBe(429);
    for (let call = 0; call < 5; call += 1) expect(await ask(operatorKey, '203.0.113.2')).toBe(200);
    expect((await hub.fetch('/open', from('203.0.113.1'))).status).toBe(200);
  });

  test('of wrong operator keys is shared by all processes, and holds while Redis is down', async () => {
    const settings = { registrationsPerMinute: 2, operatorKey: 'the-operators-key' };
    const redis = await startTestRedis();
    const one = await startHub(settings, redis.url);
    const two = await startHub(settings, redis.url);
    const alone = await startHub(settings, redis.url);
    const wrong = { headers: { authorization: 'Bearer wrong' } };
    expect(await countLetThrough(one, '/inside', wrong, 2)).toBe(2);
    expect(await countLetThrough(two, '/inside', wrong, 5)).toBe(0);
    await redis.stop();
    expect(await countLetThrough(alone, '/inside', wrong, 5)).toBe(2);
  });

  test('is shared by all processes', async () => {
    const one = await startHub({ readsPerMinute: 4 });
    const two = await startHub({ readsPerMinute: 4 }, one.redisUrl);
    expect(await countLetThrough(one, '/open', {}, 3)).toBe(3);
    expect(await countLetThrough(two, '/open', {}, 5)).toBe(1);
    expect(await countLetThrough(one, '/open', {}, 5)).toBe(0);
  });

  test('is counted by each process while Redis is down', async () => {
    const redis = await startTestRedis();
    const hub = await startHub({ readsPerMinute: 3 }, redis.url);
    await redis.stop();
    expect(await countLetThrough(hub, '/open', {}, 6)).toBe(3);
  });

  test('holds while Redis hangs, without waiting for it', async () => {
    const redis = await startTestRedis();
    const hub = await startHub({ readsPerMinute: 2 }, redis.url, { rateLimitTimeoutMs: 250 });
    const pid = Number(/process_id:(\d+)/.exec(await hub.deps.redis.info('server'))?.[1]);
    process.kill(pid, 'SIGSTOP');
    expect(await countLetThrough(hub, '/open', {}, 4)).toBe(2);
    process.kill(pid, 'SIGCONT');
    await redis.stop();
  });
});

const claimantOf = (address: string, of: ActingAgent | null) =>
  claimantOfCaller('a secret key of this test', address, of);

const agent = (id: string, network: string) => ({ id, network, handle: id, did: id, verifiedBadge: false });

test('searches are shared between networks: nine keys of one keep nobody of another out', async () => {
  const turns = createReadTurns('searches');
  const hogs = Array.from({ length: 9 }, (_, key) => agent(`hog-${key}`, 'hogs'));
  const outcomes: string[] = [];
  const search = async (hog: (typeof hogs)[number]): Promise<void> => {
    try {
      const end = await turns.take(claimantOf('192.0.2.1', hog));
      await Bun.sleep(5);
      end();
      outcomes.push('hog');
    } catch {
      outcomes.push('refused');
    }
  };
  const searching = hogs.flatMap((hog) => Array.from({ length: 16 }, () => search(hog)));
  const end = await turns.take(claimantOf('198.51.100.1', null));
  end();
  outcomes.push('honest');
  await Promise.all(searching);
  expect(outcomes.slice(0, outcomes.indexOf('honest')).filter((one) => one === 'hog').length).toBeLessThan(9);
  expect(outcomes).toContain('refused');
});
