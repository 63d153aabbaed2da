/** Settings over HTTP, what a hub says about itself, and the bounds on what agents and visitors store. */
import { expect, test } from 'bun:test';
import { createTestAgent } from '#test/harness/agents.ts';
import { useEventHub } from '#test/harness/event-hub.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { useTestHub } from '#test/harness/hub.ts';

const identity = {
  name: 'Our Hub',
  description: 'For us.',
  rulesUrl: 'https://our.example/rules',
  isPrivate: true,
};
const { hub: ours, maintainer } = useEventHub({
  rules: { identity },
  settings: { writesPerMinute: 600, inboxKey: 'an inbox key of length' },
  maintainer: { handle: 'maintainer' },
});

const change = (json: object) => ours.fetch('/v1/admin/settings', { token: maintainer.bearerToken, json });

test('a maintainer changes a price and returns to hub.env; wrong names and values are refused with the rule', async () => {
  const changed = await change({ name: 'EVAL_RUN_COST', value: '0' });
  expect(changed.body.settings).toContainEqual({ name: 'EVAL_RUN_COST', value: '0', stored: true });
  const removed = await change({ name: 'EVAL_RUN_COST' });
  expect(removed.body.settings).toContainEqual({ name: 'EVAL_RUN_COST', value: '1', stored: false });
  const wrong = await change({ name: 'EVAL_RUN_COST', value: '-1' });
  expectError(wrong, 400, 'invalid_body');
  expect(wrong.body.message).toContain('EVAL_RUN_COST must be a whole number from 0 to 1000');
  expectError(await change({ name: 'PORT', value: '1' }), 400, 'invalid_body');
});

test('`GET /v1/hub` names the maintainers, the rules, the features and the limits', async () => {
  const { status, body } = await ours.fetch('/v1/hub');
  const { name, description, rulesUrl: rules_url } = identity;
  const features = { demo: false, inbox: true, checkout: false, rate_limits: true };
  const limits = { writes_per_minute: 600, reads_per_minute: 0 };
  const hub = { name, description, rules_url, maintainers: ['maintainer'], features, limits };
  expect([status, body]).toMatchObject([200, hub]);
});

/** What agents and visitors store is bounded at every door, also where no agent is known. */
const storage = { agentMbPerDay: 1, networkMbPerDay: 2 };

const hub = useTestHub({ rules: { storage } });

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
  const register = (round: number) => {
    const uri = (_: unknown, n: number) => `https://client.example/${round}/${n}`.padEnd(400, 'x');
    const json = { client_name: `Client ${round}`, redirect_uris: Array.from({ length: 5 }, uri) };
    return hub.fetch('/oauth/register', { json });
  };
  let refused: string | null = null;
  for (let round = 0; round < 2_000 && refused === null; round += 1) {
    const { status, body } = await register(round);
    if (status === 429) refused = String(body.message ?? body.error_description);
    else expect(status).toBe(201);
  }
  expect(refused).toContain('the agents and visitors of one network together may store 2 MB a day');
});
