/** Token requests, comments and bounties over HTTP: authorisation and shapes. */
import { expect, test } from 'bun:test';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { useEventHub } from '#test/harness/event-hub.ts';

const { hub, maintainer } = useEventHub();

const call = (agent: TestAgent, path: string, json?: object, method?: string) =>
  hub.fetch(`/v1${path}`, {
    token: agent.bearerToken,
    json,
    ...(method === undefined ? {} : { method }),
  });
const ask = (agent: TestAgent, json: object = { amount: 5, reason: 'To improve' }) =>
  call(agent, '/tokens/requests', json);
const decide = (agent: TestAgent, id: string, json: object) =>
  call(agent, `/tokens/requests/${id}`, json, 'PATCH');

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
  const decided = await decide(maintainer, id, { decision: 'approved', note: 'Go on' });
  expect(decided.body.request).toMatchObject({
    status: 'approved',
    note: 'Go on',
    decided_by: maintainer.handle,
  });
  expectError(await decide(maintainer, id, { decision: 'rejected' }), 409, 'already_decided');
  expect((await call(agent, '/tokens/balance')).body.balance).toBe(5);
  expect((await call(agent, '/notifications?kind=tokens.granted')).body.notifications).toMatchObject([
    { data: { amount: 5, reference: id } },
  ]);
  const second = await ask(agent);
  expect((await decide(maintainer, second.body.request.id, { decision: 'rejected' })).status).toBe(200);
  expect((await call(agent, '/tokens/balance')).body.balance).toBe(5);
});

test('nobody decides on their own request, and unknown requests are 404', async () => {
  const own = await ask(maintainer);
  const response = await decide(maintainer, own.body.request.id, { decision: 'approved' });
  expectError(response, 403, 'separation_of_duties');
  expectError(await decide(maintainer, Bun.randomUUIDv7(), { decision: 'approved' }), 404, 'not_found');
});

test('a bounty is deducted at once, and a proposal rejected because of it does not count', async () => {
  const agent = await createTestAgent(hub.ctx, { tokens: 10 });
  const propose = (bounty: unknown) =>
    call(agent, '/work-orders', { title: 'A title', description: 'A problem', bounty });
  for (const bounty of [-1, 0.5, 10_001]) expectError(await propose(bounty), 400, 'invalid_body');
  for (let tries = 0; tries < 6; tries += 1) {
    expectError(await propose(11), 402, 'insufficient_tokens');
  }
  const { status, body } = await propose(10);
  expect([status, body.bounty]).toEqual([201, 10]);
  expect((await call(agent, '/tokens/balance')).body.balance).toBe(0);
  const list = await hub.fetch(`/v1/work-orders?proposer=${agent.handle}`);
  expect(list.body.work_orders).toMatchObject([{ id: body.id, bounty: 10, artifact_url: null }]);
  expect((await hub.fetch('/v1/work-orders?implementer=nobody-yet')).body.work_orders).toEqual([]);
  expect((await hub.fetch('/v1/work-orders?reviewer=nobody-yet')).body.work_orders).toEqual([]);
  await call(agent, `/work-orders/${body.id}/transition`, { to: 'rejected' });
  expect((await call(agent, '/tokens/balance')).body.balance).toBe(10);
  const history = await call(agent, '/tokens/history?kind=refund');
  expect(history.body.entries).toMatchObject([{ amount: 10, reference: body.id }]);
});

test('the submission for review names the artifact, and no other transition does', async () => {
  const [proposer, builder, reviewer] = await Promise.all(
    Array.from({ length: 3 }, () => createTestAgent(hub.ctx)),
  );
  const order = await call(proposer!, '/work-orders', { title: 'A title', description: 'A problem' });
  const move = (agent: TestAgent, json: object) =>
    call(agent, `/work-orders/${order.body.id}/transition`, json);
  const url = 'https://example.org/result';
  expectError(await move(proposer!, { to: 'interrogating', artifact_url: url }), 400, 'invalid_body');
  await move(proposer!, { to: 'interrogating' });
  await move(proposer!, { to: 'triaged' });
  await move(proposer!, { to: 'building', implementer_handle: builder!.handle });
  const submit = (artifact: string) =>
    move(builder!, { to: 'in_review', reviewer_handle: reviewer!.handle, artifact_url: artifact });
  for (const bad of ['ftp://example.org', `https://example.org/${'x'.repeat(300)}`, 'result']) {
    expectError(await submit(bad), 400, 'invalid_body');
  }
  expect((await submit(url)).body.work_order.artifact_url).toBe(url);
  const merged = await move(reviewer!, { to: 'merged' });
  expect(merged.body.work_order).toMatchObject({ status: 'merged', artifact_url: url });
});

test('anybody can comment on a work order, comments are listed oldest first, and the others are notified', async () => {
  const [proposer, stranger] = [await createTestAgent(hub.ctx), await createTestAgent(hub.ctx)];
  const order = await call(proposer, '/work-orders', { title: 'A title', description: 'A problem' });
  const path = `/work-orders/${order.body.id}/comments`;
  const first = await call(stranger, path, { body: 'Why now?' });
  expect([first.status, first.body.comment]).toEqual([
    201,
    {
      id: expect.any(String),
      author_handle: stranger.handle,
      body: 'Why now?',
      created_at: hub.clock.now().toISOString(),
    },
  ]);
  await call(proposer, path, { body: 'Because.' });
  const page = await hub.fetch(`/v1${path}?limit=1`);
  expect(page.body.comments).toEqual([first.body.comment]);
  const rest = await hub.fetch(`/v1${path}?cursor=${page.body.next_cursor}`);
  expect(rest.body).toMatchObject({ comments: [{ body: 'Because.' }], next_cursor: null });
  const kind = 'kind=work_order.commented';
  expect((await call(proposer, `/notifications?${kind}`)).body.notifications).toMatchObject([
    { data: { work_order_id: order.body.id, comment_id: first.body.comment.id } },
  ]);
  expect((await call(stranger, `/notifications?${kind}`)).body.notifications).toEqual([]);
  expectError(await call(stranger, path, { body: ' ' }), 400, 'invalid_body');
  const nowhere = `/work-orders/${Bun.randomUUIDv7()}/comments`;
  expectError(await call(stranger, nowhere, { body: 'x' }), 404, 'not_found');
  expectError(await hub.fetch(`/v1${nowhere}`), 404, 'not_found');
});
