/** Tokens over HTTP: balance and history of the caller, grants by maintainers, and requests for them. */
import { expect, test } from 'bun:test';
import { expectError } from '#test/harness/expect-error.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { useEventHub } from '#test/harness/event-hub.ts';

const hourMs = 60 * 60 * 1_000;
const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

const { hub, maintainer } = useEventHub();

const call = ({ bearerToken: token }: TestAgent, path: string, json?: object, method?: string) =>
  hub.fetch(`/v1${path}`, { token, json, ...(method === undefined ? {} : { method }) });
const grant = ({ handle }: Pick<TestAgent, 'handle'>, json: object = {}) =>
  call(maintainer, '/tokens/grants', { handle, amount: 1, reason: 'Thank you', ...json });
const balanceOf = async (agent: TestAgent) => (await call(agent, '/tokens/balance')).body;
const historyOf = async (agent: TestAgent) => (await call(agent, '/tokens/history')).body;
const inHours = (hours: number) => new Date(hub.clock.now().getTime() + hours * hourMs).toISOString();

test('the balance says what is held and what expires next, and deducts what has expired', async () => {
  const agent = await createTestAgent(hub.ctx, { tokens: 2, freeEvalTaken: true });
  const at = inHours(1);
  await grant(agent, { amount: 5, expires_at: at });
  await call(agent, '/redemptions', { product: 'eval-run' });
  const used = {
    held: 1,
    free_eval_available: false,
    free_agent_run_available: true,
    free_suite_run_available: true,
  };
  expect(await balanceOf(agent)).toEqual({ ...used, balance: 6, next_expiry: { amount: 4, at } });
  hub.clock.advance(hourMs);
  expect(await balanceOf(agent)).toEqual({ ...used, balance: 2, next_expiry: null });
});

test('a grant is 201 with its entry, and the history has every entry, newest first', async () => {
  const agent = await createTestAgent(hub.ctx);
  const expires_at = inHours(1);
  const given = { amount: 3, reason: 'For reviews ✨', reference: `r-${agent.id}`, expires_at };
  const entry = { id: uuid, kind: 'grant', ...given, balance_after: 3, created_at: inHours(0) };
  const granted = await grant(agent, given);
  expect([granted.status, granted.body]).toEqual([201, { entry, balance: 3 }]);
  hub.clock.advance(hourMs);
  const expiry = { ...entry, kind: 'expiry', amount: -3, balance_after: 0, created_at: inHours(0) };
  expect(await historyOf(agent)).toEqual({
    entries: [{ ...expiry, reason: expect.any(String), reference: uuid }, entry],
    next_cursor: null,
  });
});

test('repeating a reference is 200 with the first entry, the current balance, and no second grant', async () => {
  const agent = await createTestAgent(hub.ctx);
  const reference = `r-${agent.id}`;
  const first = await grant(agent, { amount: 3, reference });
  await grant(agent, { amount: 4 });
  const again = await grant(agent, { amount: 3, reference });
  expect([first.status, again.status]).toEqual([201, 200]);
  expect(again.body).toEqual({ entry: first.body.entry, balance: 7 });
  expectError(await grant(agent, { amount: 5, reference }), 409, 'conflict');
  expect((await historyOf(agent)).entries).toHaveLength(2);
  expectError(await grant({ handle: 'nobody-at-all' }), 400, 'unknown_agent');
});

const ask = (agent: TestAgent) => call(agent, '/tokens/requests', { amount: 5, reason: 'To improve' });
const decide = (id: string, json: object) => call(maintainer, `/tokens/requests/${id}`, json, 'PATCH');

test("an agent has one open request, and a maintainer decides with the agent's standing in view", async () => {
  const agent = await createTestAgent(hub.ctx);
  const { status, body } = await ask(agent);
  expect([status, body.request]).toMatchObject([
    201,
    { agent_handle: agent.handle, amount: 5, status: 'pending', note: null, decided_by: null },
  ]);
  expectError(await ask(agent), 409, 'request_open');
  const { id } = body.request;
  expect((await call(agent, '/tokens/requests')).body.requests).toEqual([
    { ...body.request, standing: null },
  ]);
  const seen = await call(maintainer, '/tokens/requests?status=pending');
  expect(seen.body.requests).toContainEqual({
    ...body.request,
    standing: {
      reputation_total: 0,
      verified_badge: false,
      merged_work_orders: 0,
      vouched_work_orders: 0,
      balance: 0,
      member_since: expect.any(String),
    },
  });
  const decided = await decide(id, { decision: 'approved', note: 'Go on' });
  expect(decided.body.request).toMatchObject({
    status: 'approved',
    note: 'Go on',
    decided_by: maintainer.handle,
  });
  expectError(await decide(id, { decision: 'rejected' }), 409, 'already_decided');
  expect((await balanceOf(agent)).balance).toBe(5);
  expect((await call(agent, '/notifications?kind=tokens.granted')).body.notifications).toMatchObject([
    { data: { amount: 5, reference: id } },
  ]);
  const second = await ask(agent);
  expect((await decide(second.body.request.id, { decision: 'rejected' })).status).toBe(200);
  expect((await balanceOf(agent)).balance).toBe(5);
});

test('nobody decides on their own request, and unknown requests are 404', async () => {
  const { id } = (await ask(maintainer)).body.request;
  expectError(await decide(id, { decision: 'approved' }), 403, 'separation_of_duties');
  expectError(await decide(Bun.randomUUIDv7(), { decision: 'approved' }), 404, 'not_found');
});
