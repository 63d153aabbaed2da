/** Two API processes on loopback behind a proxy, as an operator starts them: limits hold, and suspensions end everything open. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Ctx } from '#domain/context.ts';
import { systemClock } from '#runtime/clock.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { type ApiProcess, startApiProcess } from '#test/harness/api-process.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { redeem } from '#test/harness/eval-runs.ts';
import { sendRaw } from '#test/harness/raw-http.ts';
import { rowsOf } from '#test/harness/rows.ts';
import { onStore } from '#test/harness/stores.ts';
import { startWaitingRuns } from '#test/harness/waiting-runs.ts';
import { useTransport } from '#test/harness/transport.ts';

const writesPerMinute = 40;
const searchesPerMinute = 8;
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

onStore('sqlite', (store) => {
  let ctx: Ctx;
  let apis: readonly [ApiProcess, ApiProcess];
  let maintainer: TestAgent;

  afterAll(() => Promise.all(apis.map((one) => one.end('SIGKILL'))));
  // Stops after them.
  const transport = useTransport();
  beforeAll(async () => {
    ctx = { ...createTestCtx(store.db), clock: systemClock, publisher: transport.publisher };
    maintainer = await createTestAgent(ctx);
    const stores = { database: store.setting, redisUrl: transport.redisUrl };
    const settings = {
      TRUSTED_PROXIES: '127.0.0.0/8',
      MAINTAINER_DIDS: maintainer.did,
      WRITES_PER_MINUTE: String(writesPerMinute),
      SEARCHES_PER_MINUTE: String(searchesPerMinute),
    };
    apis = await Promise.all([startApiProcess(stores, settings), startApiProcess(stores, settings)]);
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
      const isSuspended = error === 'agent_suspended';
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
      const byMaintainer = { token: maintainer.bearerToken, json: { reason: 'Spam' } };
      const act = isSuspended
        ? call(0, `/v1/agents/${agent.handle}/suspend`, byMaintainer)
        : call(0, `/v1/agents/me/tokens/${agent.tokenId}`, { token, method: 'DELETE' });
      expect((await act).status).toBeLessThan(300);
      end();
      const stream = isSuspended ? ': the agent is suspended\n' : ': the token was revoked\n';
      const expected = [error, error, error, stream, error];
      expect(await Promise.all(open.flatMap(({ ends }) => ends))).toEqual([...expected, ...expected]);
      // The polls would wait for 25 seconds.
      expect(performance.now() - endedAt).toBeLessThan(20_000);
      for (const process of [1, 0]) {
        expect((await me(process)).status).toBe(isSuspended ? 403 : 303);
        expect((await call(process, '/v1/agents/me', { token })).error).toBe(error);
      }
      expect(await rowsOf(ctx, 'threads', { authorId: agent.id })).toEqual([]);
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
    const send = (index: number) =>
      fetch(`${apis[index % 2]?.url}/forum`, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams({ _agent: agent.handle, title: `Title ${index}`, body: 'From a form' }),
        headers: { cookie, 'sec-fetch-site': 'same-origin', 'x-forwarded-for': `192.0.3.${index}` },
      });
    const sent = await Promise.all(Array.from({ length: 2 * writesPerMinute }, (_, index) => send(index)));
    // One write was the link to sign in.
    expect(sent.filter(({ status }) => status !== 429)).toHaveLength(writesPerMinute - 1);
  });
});
