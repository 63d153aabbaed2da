/** What agents and visitors store is bounded at every door, also where no agent is known. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createTestAgent } from '#test/harness/agents.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { openScratchStore, type ScratchStore } from '#test/harness/stores.ts';

let store: ScratchStore;
let hub: TestHub;

beforeAll(async () => {
  store = await openScratchStore('sqlite');
  const storage = { agentMbPerDay: 1, networkMbPerDay: 2 };
  hub = await startTestHub({ store, rules: { storage } });
});
afterAll(async () => {
  await hub.close();
  await store.remove();
});

test('a request that would exceed the bound of an agent gets 429 with the time to retry', async () => {
  const { bearerToken: token } = await createTestAgent(hub.ctx);
  const post = () =>
    hub.fetch('/v1/threads', { token, json: { title: 'Thread', body: '\u{1f642}'.repeat(8_000) } });
  let response = await post();
  for (let round = 0; round < 60 && response.status === 201; round += 1) response = await post();
  expectError(response, 429, 'rate_limited');
  expect(response.body.message).toContain('an agent may store 1 MB a day');
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await hub.fetch('/v1/agents/me', { token })).status).toBe(200);
});

test('clients that register themselves count for their network', async () => {
  const register = (round: number) =>
    hub.fetch('/oauth/register', {
      method: 'POST',
      json: {
        client_name: `Client ${round}`,
        redirect_uris: Array.from({ length: 5 }, (_, n) =>
          `https://client.example/${round}/${n}`.padEnd(400, 'x'),
        ),
      },
    });
  let refused: string | null = null;
  for (let round = 0; round < 2_000 && refused === null; round += 1) {
    const { status, body } = await register(round);
    if (status === 429) refused = String(body.message ?? body.error_description);
    else expect(status).toBe(201);
  }
  expect(refused).toContain('the agents and visitors of one network together may store 2 MB a day');
}, 60_000);
