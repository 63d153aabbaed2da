/**
 * Attacks on the guarantees of SECURITY.md over the network: two API processes on loopback behind a proxy, as an
 * operator starts them. Each rule has its own tests; these show that they hold together, in real processes with their
 * defaults.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { createBearerToken, hashBearerToken } from '#domain/agents/token-bearers.ts';
import { type Ctx, withTransaction } from '#domain/context.ts';
import { createId } from '#runtime/create-id.ts';
import { systemClock } from '#runtime/clock.ts';
import { newKey } from '#test/domain/agents/sign-up.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { type ApiProcess, startApiProcess } from '#test/harness/api-process.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { redeem } from '#test/harness/eval-runs.ts';
import { sendRaw } from '#test/harness/raw-http.ts';
import { readStore } from '#test/harness/read-store.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { startWaitingRuns } from '#test/harness/waiting-runs.ts';
import { startTransport, type Transport } from '#test/harness/transport.ts';
import { startWorkerProcess, type WorkerProcess } from '#test/harness/worker-process.ts';
import { attackSize, report } from './attack-size.ts';
import { countMailsOfBookings } from './bookings.ts';

const operatorKey = 'an-operator-key-of-this-test';
/** A booking and its cancellation are two writes. */
const writesPerMinute = 2 * attackSize.bookings + 20;
const registrationsPerMinute = 5;
const searchesPerMinute = 8;
const markup = '<img src=x onerror=alert(1)><script>alert(2)</script>';
/** From the documentation ranges, so that no other text contains it. */
const attacker = '203.0.113.66';

interface Call {
  readonly token?: string;
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  /** Called when the head of the response has come. */
  readonly onHead?: () => void;
}

forEachStore((store) => {
  let transport: Transport;
  let ctx: Ctx;
  let apis: readonly [ApiProcess, ApiProcess];
  let seats: WorkerProcess;
  let maintainer: TestAgent;

  beforeAll(async () => {
    transport = await startTransport();
    ctx = { ...createTestCtx(store.db), clock: systemClock, publisher: transport.publisher };
    maintainer = await createTestAgent(ctx);
    const stores = { database: store.setting, redisUrl: transport.redisUrl };
    const settings = {
      TRUSTED_PROXIES: '127.0.0.0/8',
      MAINTAINER_DIDS: maintainer.did,
      CONTACT_TO: 'team@hub.example',
      WRITES_PER_MINUTE: String(writesPerMinute),
      SEARCHES_PER_MINUTE: String(searchesPerMinute),
      REGISTRATIONS_PER_MINUTE: String(registrationsPerMinute),
    };
    [apis, seats] = await Promise.all([
      Promise.all([
        startApiProcess(stores, settings),
        startApiProcess(stores, { ...settings, OPERATOR_KEY: operatorKey }),
      ]),
      startWorkerProcess(['seats'], stores, settings),
    ]);
  });
  afterAll(async () => {
    await Promise.all([...apis, seats].map((one) => one.end('SIGKILL')));
    await transport.stop();
  });

  /** @param process 0 or 1 */
  async function call(
    process: number,
    path: string,
    { token, json, headers = {}, method, onHead = () => {} }: Call = {},
  ) {
    const response = await fetch(`${apis[process % 2]?.url}${path}`, {
      method: method ?? (json === undefined ? 'GET' : 'POST'),
      headers: {
        'x-forwarded-for': attacker,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: json === undefined ? null : JSON.stringify(json),
      redirect: 'manual',
    });
    onHead();
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    const body = isJson && text !== '' ? JSON.parse(text) : null;
    return { status: response.status, error: body?.error as string | undefined, body, text, response };
  }

  async function moreTokens({ id, bearerToken }: TestAgent, count: number): Promise<readonly string[]> {
    const tokens = Array.from({ length: count }, createBearerToken);
    await withTransaction(ctx, ({ db }) => {
      const createdAt = ctx.clock.now();
      const rows = tokens.map((token) => ({
        id: createId(createdAt),
        agentId: id,
        tokenHash: hashBearerToken(token),
        createdAt,
      }));
      return db.query.insert(db.tables.bearerTokens).values(rows);
    });
    return [bearerToken, ...tokens];
  }

  test('behind a proxy that adds no header, operator pages are closed and targets of the machine refused', async () => {
    let reached = 0;
    const canary = Bun.serve({ port: 0, fetch: () => new Response(String((reached += 1))) });
    const { bearerToken: token } = await createTestAgent(ctx, { tokens: 5 });
    for (const path of ['/metrics', '/admin/queues', '/v1/admin/health']) {
      const plain = await fetch(`${apis[0].url}${path}`);
      expect([path, plain.status >= 401 && plain.status <= 403]).toEqual([path, true]);
    }
    for (const path of ['/livez', '/readyz']) {
      const plain = await fetch(`${apis[0].url}${path}`);
      expect([path, Object.keys((await plain.json()) as object).length]).toEqual([path, 1]);
      expect((await call(0, path)).status).toBe(401);
    }
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '0x7f.1', '2130706433', '[::ffff:127.0.0.1]']) {
      const url = `http://${host}:${canary.port}/secret`;
      const doors = [
        ['/v1/redemptions', { product: 'eval-run', target_url: url }],
        ['/v1/webhooks', { url, events: ['thread.reply'] }],
        ['/v1/probes', { target: { url } }],
      ] as const;
      for (const [door, json] of doors) {
        const { status, body } = await call(0, door, { token, json });
        // A name is resolved when it is called.
        expect([host, door, status >= 400 || body.ok === false || host === 'localhost']).toEqual([
          host,
          door,
          true,
        ]);
      }
    }
    expect(reached).toBe(0);
    await canary.stop(true);
  });

  test('a caller cannot choose its network, and one network does not use up the limits of another', async () => {
    const signUp = (process: number, forwarded: string, index: number) =>
      call(process, '/v1/agents/register', {
        json: {
          handle: `many-${store.dialect}-${forwarded.length}-${index}`,
          agent_type: 'other',
          public_key: newKey().publicKey,
        },
        headers: { 'x-forwarded-for': forwarded },
      });
    const statuses: number[] = [];
    // The last address is the one that the proxy has seen; the caller sent the ones before it.
    for (let index = 0; index < 3 * registrationsPerMinute; index += 1)
      statuses.push((await signUp(index, `198.51.100.${index}, 203.0.113.7`, index)).status);
    expect(statuses.filter((status) => status !== 429)).toHaveLength(registrationsPerMinute);
    for (let network = 1; network <= attackSize.networks; network += 1)
      expect((await signUp(network, `192.0.${network}.1`, 100 + network)).status).toBe(200);
    const { challenges } = ctx.db.tables;
    expect(await ctx.db.query.$count(challenges)).toBe(registrationsPerMinute + attackSize.networks);
  });

  test('five tokens of one agent share its limit, in two processes', async () => {
    const agent = await createTestAgent(ctx);
    const tokens = await moreTokens(agent, 4);
    const sent = Array.from({ length: 2 * writesPerMinute }, (_, index) =>
      call(index, '/v1/notifications/read', {
        token: tokens[index % tokens.length] ?? '',
        json: { up_to: '01900000-0000-7000-8000-000000000000' },
        headers: { 'x-forwarded-for': `192.0.2.${index}` },
      }),
    );
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 429)).toHaveLength(writesPerMinute);
  });

  test('guessing operator keys locks out the guessing network and no other', async () => {
    const guess = (key: string, from: string) =>
      call(1, '/metrics', { token: key, headers: { 'x-forwarded-for': from } });
    const statuses = new Set<number>();
    for (let index = 0; index < 30; index += 1)
      statuses.add((await guess(`a-wrong-operator-key-${index}`, '203.0.113.9')).status);
    expect(statuses).toEqual(new Set([401, 429]));
    expect((await guess(operatorKey, '203.0.113.9')).status).toBe(429);
    expect((await guess(operatorKey, '203.0.114.9')).status).toBe(200);
  });

  test('a suspended or revoked token is refused by both processes at the next request', async () => {
    const agent = await createTestAgent(ctx);
    const [token = '', revoked = ''] = await moreTokens(agent, 1);
    const me = (process: number, bearer: string) => call(process, '/v1/agents/me', { token: bearer });
    for (const process of [0, 1]) expect((await me(process, revoked)).status).toBe(200);
    const { bearerTokens } = ctx.db.tables;
    const [row] = await ctx.db.query
      .select({ id: bearerTokens.id })
      .from(bearerTokens)
      .where(eq(bearerTokens.tokenHash, hashBearerToken(revoked)));
    const ended = await call(0, `/v1/agents/me/tokens/${row?.id}`, { token, method: 'DELETE' });
    expect(ended.status).toBeLessThan(300);
    for (const process of [1, 0]) expect((await me(process, revoked)).error).toBe('invalid_token');
    const suspended = await call(0, `/v1/agents/${agent.handle}/suspend`, {
      token: maintainer.bearerToken,
      json: { reason: 'Spam' },
    });
    expect(suspended.status).toBe(200);
    for (const process of [1, 0]) expect((await me(process, token)).error).toBe('agent_suspended');
  });

  /** Signs in to the site. @returns the cookie */
  async function cookieOf({ bearerToken: token }: TestAgent): Promise<string> {
    const link = await call(0, '/v1/agents/me/sign-in-links', { token, json: {} });
    const response = await fetch(apis[0].url + new URL(link.body.url as string).pathname, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams(),
      headers: { 'sec-fetch-site': 'same-origin' },
    });
    return response.headers.get('set-cookie')?.split(';')[0] ?? '';
  }

  /** A thread whose second half arrives after the suspension or revocation. */
  function postSlowly(process: number, token: string, ended: Promise<unknown>): Promise<string> {
    const body = JSON.stringify({ title: 'Slow', body: 'Sent before, arrived after' });
    const head = `POST /v1/threads HTTP/1.1\r\nHost: hub\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    // The API checks the credentials again after a body that takes longer than half a second.
    const rest = Promise.all([ended, Bun.sleep(1_500)]).then(() => body.slice(9));
    return sendRaw(Number(new URL(apis[process]?.url ?? '').port), [head + body.slice(0, 9), rest]);
  }

  /** Everything that an agent can have open in one process, and the status or error that each ends with. */
  function openRequests(
    process: number,
    { bearerToken: token }: TestAgent,
    pullRun: string,
    pushRun: string,
    ended: Promise<unknown>,
  ) {
    const askTool = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'get_notifications', arguments: { wait: 25 } },
    };
    const headers = { accept: 'application/json, text/event-stream' };
    const { promise: streaming, resolve: onHead } = Promise.withResolvers<void>();
    const ends = [
      call(process, '/v1/notifications?wait=25', { token }).then(({ error }) => error),
      call(process, `/v1/runs/${pullRun}/cases/next?wait=25`, { token }).then(({ error }) => error),
      call(process, '/mcp', { token, json: askTool, headers }).then(
        ({ text }) => /agent_suspended|invalid_token/.exec(text)?.[0],
      ),
      call(process, `/v1/runs/${pushRun}/events`, { token, onHead }).then(
        ({ text }) => /: the agent is suspended\n|: the token was revoked\n/.exec(text)?.[0],
      ),
      postSlowly(process, token, ended).then((text) => /agent_suspended|invalid_token/.exec(text)?.[0]),
    ];
    return { streaming, ends };
  }

  test('open requests of an agent end in both processes when it is suspended or revokes its token', async () => {
    for (const error of ['agent_suspended', 'invalid_token'] as const) {
      const agent = await createTestAgent(ctx, { tokens: 9, freeEvalTaken: true });
      const { bearerToken: token } = agent;
      const [pullRun = ''] = await startWaitingRuns(ctx, [agent]);
      const { evalRun } = await redeem(ctx, agent.id, 'https://agent.example/answer');
      const cookie = await cookieOf(agent);
      const me = (process: number) => call(process, '/me', { headers: { cookie, accept: 'text/html' } });
      for (const process of [0, 1]) expect((await me(process)).status).toBe(200);
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      const open = [0, 1].map((process) => openRequests(process, agent, pullRun, evalRun.id, ended));
      await Promise.all(open.map(({ streaming }) => streaming));
      await Bun.sleep(400);
      const endedAt = performance.now();
      const act =
        error === 'agent_suspended'
          ? call(0, `/v1/agents/${agent.handle}/suspend`, {
              token: maintainer.bearerToken,
              json: { reason: 'Spam' },
            })
          : call(0, `/v1/agents/me/tokens/${agent.tokenId}`, { token, method: 'DELETE' });
      expect((await act).status).toBeLessThan(300);
      end();
      const stream = error === 'agent_suspended' ? ': the agent is suspended\n' : ': the token was revoked\n';
      const expected = [error, error, error, stream, error];
      expect(await Promise.all(open.flatMap(({ ends }) => ends))).toEqual([...expected, ...expected]);
      // The polls would wait for 25 seconds.
      expect(performance.now() - endedAt).toBeLessThan(20_000);
      for (const process of [1, 0]) {
        expect((await me(process)).status).toBe(error === 'agent_suspended' ? 403 : 303);
        expect((await call(process, '/v1/agents/me', { token })).error).toBe(error);
      }
      expect(
        await ctx.db.query.$count(ctx.db.tables.threads, eq(ctx.db.tables.threads.authorId, agent.id)),
      ).toBe(0);
    }
  });

  test('pages search, and forms write, under the limits of the API', async () => {
    const agent = await createTestAgent(ctx);
    const cookie = await cookieOf(agent);
    const searched = await Promise.all(
      Array.from({ length: 2 * searchesPerMinute }, (_, index) =>
        call(index, `/forum?q=words${index}`, { headers: { 'x-forwarded-for': '192.0.2.77' } }),
      ),
    );
    expect(searched.filter(({ status }) => status === 200)).toHaveLength(searchesPerMinute);
    const send = async (index: number) => {
      const response = await fetch(`${apis[index % 2]?.url}/forum`, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams({ title: `Title ${index}`, body: 'From a form' }),
        headers: { cookie, 'sec-fetch-site': 'same-origin', 'x-forwarded-for': `192.0.3.${index}` },
      });
      return response.status;
    };
    const sent = await Promise.all(Array.from({ length: 2 * writesPerMinute }, (_, index) => send(index)));
    // One write was the link to sign in.
    expect(sent.filter((status) => status !== 429)).toHaveLength(writesPerMinute - 1);
  });

  test('booking and cancelling office hours all day sends the team one mail', async () => {
    const urls = apis.map(({ url }) => url);
    const mails = await countMailsOfBookings(ctx, urls, attackSize.bookings);
    report(`${store.dialect}, bookings and cancellations`, { bookings: attackSize.bookings, mails });
    expect(mails).toBe(1);
  });

  test("another agent's resources can be neither seen nor changed, and look as if they did not exist", async () => {
    const [owner, thief] = [await createTestAgent(ctx, { tokens: 5 }), await createTestAgent(ctx)];
    const target = { product: 'eval-run', target_url: 'https://agent.example/answer' };
    const own = await call(0, '/v1/redemptions', { token: owner.bearerToken, json: target });
    const foreign = own.body.eval_job.id as string;
    const missing = '01900000-0000-7000-8000-000000000000';
    for (const path of ['', '/scorecard.json', '/events']) {
      const [theirs, none] = [
        await call(0, `/v1/eval-jobs/${foreign}${path}`, { token: thief.bearerToken }),
        await call(1, `/v1/eval-jobs/${missing}${path}`, { token: thief.bearerToken }),
      ];
      expect([theirs.status, theirs.error, theirs.body.message]).toEqual([
        404,
        none.error ?? '',
        none.body.message.replace(missing, foreign),
      ]);
    }
    const acts = [
      ['/v1/tokens/grants', { handle: thief.handle, amount: 5, reason: 'x' }],
      [`/v1/agents/${owner.handle}/suspend`, { reason: 'x' }],
      ['/v1/moderation/hide', { subject: { kind: 'agent', id: owner.handle }, reason: 'x' }],
    ] as const;
    for (const [path, json] of acts)
      expect((await call(0, path, { token: thief.bearerToken, json })).error).toBe('maintainer_only');
  });

  test('markup stays text, and no token or address of a caller is stored', async () => {
    const agent = await createTestAgent(ctx);
    const json = { title: markup, body: markup };
    const { body } = await call(0, '/v1/threads', { token: agent.bearerToken, json });
    const page = await call(1, `/forum/${body.id}`, { headers: { accept: 'text/html' } });
    expect(page.status).toBe(200);
    expect(page.text).not.toContain('<img src=x');
    expect(page.text).not.toContain('<script>alert');
    expect(page.response.headers.get('content-security-policy')).toContain("default-src 'none'");
    const rows = Object.values(await readStore(store.db)).flat();
    expect(rows.filter((row) => row.includes(agent.bearerToken) || row.includes(attacker))).toEqual([]);
    const metrics = await call(1, '/metrics', {
      token: operatorKey,
      headers: { 'x-forwarded-for': '192.0.4.1' },
    });
    expect(metrics.status).toBe(200);
    const texts = [agent.bearerToken, attacker, agent.handle, agent.id, markup];
    expect(texts.filter((text) => metrics.text.includes(text))).toEqual([]);
    const keys = await transport.redis.keys('*');
    expect(keys.filter((key) => key.includes(agent.bearerToken) || key.includes(attacker))).toEqual([]);
  });
});
