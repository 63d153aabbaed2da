/** Two API processes, started as operators start them, get the same code or refresh token at the same time. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { type ApiProcess, startApiProcess } from '#test/harness/api-process.ts';
import { systemTestClock } from '#test/harness/clock.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { callMcp, type Parameters, TestHost } from './test-host.ts';

const times = 8;

forEachStore((store) => {
  let hub: TestHub;
  let agent: TestAgent;
  let host: TestHost;
  let apis: readonly ApiProcess[] = [];
  beforeAll(async () => {
    // Asks for consent, so that the processes get only the requests that race.
    hub = await startTestHub({ store, clock: systemTestClock() });
    const stores = { database: store.setting, redisUrl: hub.redisUrl };
    apis = await Promise.all([startApiProcess(stores), startApiProcess(stores)]);
    agent = await createTestAgent(hub.ctx);
    host = await TestHost.register(hub);
  });
  afterAll(async () => {
    await Promise.all(apis.map((api) => api.end('SIGTERM')));
    await hub.close();
  });

  /** Sends the same form to both processes at once. */
  async function race(
    fields: Parameters,
  ): Promise<{ readonly statuses: readonly number[]; readonly won: string }> {
    const body = new URLSearchParams({ client_id: host.clientId, ...fields });
    const replies = await Promise.all(
      apis.map(async ({ url }) => {
        const response = await fetch(`${url}/oauth/token`, { method: 'POST', body });
        return {
          status: response.status,
          body: (await response.json()) as { readonly access_token?: string },
        };
      }),
    );
    const won = replies.find(({ body: { access_token } }) => access_token !== undefined);
    return {
      statuses: replies.map(({ status }) => status).toSorted((a, b) => a - b),
      won: won?.body.access_token ?? '',
    };
  }

  const works = async (token: string) => (await callMcp(hub, '/mcp', token, 'get_me')).status === 200;

  test('a code gives exactly one grant, which the second use revokes', async () => {
    for (let n = 0; n < times; n += 1) {
      const code = await host.code(agent);
      const { statuses, won } = await race({
        grant_type: 'authorization_code',
        code,
        code_verifier: host.verifier,
      });
      expect(statuses).toEqual([200, 400]);
      expect(await works(won)).toBe(false);
    }
  });

  test('a refresh token gives exactly one successor, which the second use revokes', async () => {
    for (let n = 0; n < times; n += 1) {
      const { refresh } = await host.connect(agent);
      const { statuses, won } = await race({ grant_type: 'refresh_token', refresh_token: refresh });
      expect(statuses).toEqual([200, 400]);
      expect(await works(won)).toBe(false);
    }
  });
});
