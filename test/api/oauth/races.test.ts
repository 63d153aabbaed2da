/**
 * Two API processes, started as operators start them, get the same code or refresh token: at the same time, or the second
 * because the first died.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { CrashPoint } from '#runtime/process/crash-points.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { type ApiProcess, startApiProcess } from '#test/harness/api-process.ts';
import { systemTestClock } from '#test/harness/clock.ts';
import type { HubProcessStores } from '#test/harness/hub-process.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { callMcp, type Parameters, TestHost } from './test-host.ts';

const times = 8;

interface Reply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

forEachStore((store) => {
  let hub: TestHub;
  let agent: TestAgent;
  let host: TestHost;
  let stores: HubProcessStores;
  let apis: readonly ApiProcess[] = [];
  beforeAll(async () => {
    // Asks for consent, so that the processes get only the requests that race.
    hub = await startTestHub({ store, clock: systemTestClock() });
    stores = { database: store.setting, redisUrl: hub.redisUrl };
    apis = await Promise.all([startApiProcess(stores), startApiProcess(stores)]);
    agent = await createTestAgent(hub.ctx);
    host = await TestHost.register(hub);
  });
  afterAll(async () => {
    await Promise.all(apis.map((api) => api.end('SIGTERM')));
    await hub.close();
  });

  async function ask({ url }: ApiProcess, fields: Parameters): Promise<Reply> {
    const body = new URLSearchParams({ client_id: host.clientId, ...fields });
    const response = await fetch(`${url}/oauth/token`, { method: 'POST', body });
    return { status: response.status, body: (await response.json()) as Reply['body'] };
  }

  const codeFields = (code: string) => ({
    grant_type: 'authorization_code',
    code,
    code_verifier: host.verifier,
  });
  const refreshFields = (refresh_token: string) => ({ grant_type: 'refresh_token', refresh_token });
  const works = async (token: unknown) =>
    (await callMcp(hub, '/mcp', String(token), 'get_me')).status === 200;
  const grants = async () => {
    const { body } = await hub.fetch('/v1/agents/me/tokens?limit=100', { token: agent.bearerToken });
    return body.tokens.length;
  };

  /** Sends the same form to both processes at once. @returns what both responded */
  async function race(fields: Parameters): Promise<Reply['body']> {
    const replies = await Promise.all(apis.map((api) => ask(api, fields)));
    const tokens = replies.map(({ status, body: { access_token, refresh_token, scope } }) => ({
      status,
      body: { access_token, refresh_token, scope },
    }));
    expect(tokens[1]).toEqual(tokens[0]);
    expect(tokens[0]).toMatchObject({ status: 200, body: { access_token: expect.stringMatching(/^hub_/) } });
    return tokens[0]!.body;
  }

  test('a code that two processes get at once gives one grant, with the same tokens', async () => {
    for (let n = 0; n < times; n += 1) {
      const code = await host.code(agent);
      const before = await grants();
      const { access_token, refresh_token } = await race(codeFields(code));
      expect([await works(access_token), await grants()]).toEqual([true, before + 1]);
      expect((await host.refresh(String(refresh_token))).status).toBe(200);
    }
  });

  test('a refresh token that two processes get at once gives one successor, which works', async () => {
    const { access, refresh } = await host.connect(agent);
    let last = refresh;
    for (let n = 0; n < times; n += 1) {
      const { access_token, refresh_token } = await race(refreshFields(last));
      expect(await works(access_token)).toBe(true);
      last = String(refresh_token);
    }
    expect(await works(access)).toBe(true);
  });

  test.each<[string, CrashPoint]>([
    ['before its commit', 'transaction.committing'],
    ['after its commit', 'request.answering'],
  ])(
    'a client whose response was lost, as the process died %s, gets tokens from another',
    async (_, point) => {
      const dying = { CRASH_AT: point, CRASH_ON_PASS: '1', CRASH_AFTER_STEPS: '0' };
      const timing = { CRASH_AFTER_MS: '0', CRASH_REACH_MS: '60000' };
      const code = await host.code(agent);
      const { refresh } = await host.connect(agent);
      const [living] = apis;
      for (const fields of [codeFields(code), refreshFields(refresh)]) {
        const victim = await startApiProcess(stores, { ...dying, ...timing }, 'die-at-point');
        await expect(ask(victim, fields)).rejects.toThrow();
        await victim.end('SIGKILL');
        const { status, body } = await ask(living!, fields);
        expect([status, await works(body['access_token'])]).toEqual([200, true]);
        expect((await host.refresh(String(body['refresh_token']))).status).toBe(200);
      }
    },
  );
});
