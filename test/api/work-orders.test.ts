/**
 * Work orders over HTTP, on both stores: proposals and bounties, every transition, who may make it, the audit trail,
 * and comments.
 */
import { expect, test } from 'bun:test';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { type TestResponse, useTestAgent, useTestHub } from '#test/harness/hub.ts';
import { forEachStore } from '#test/harness/stores.ts';

const statuses = ['proposed', 'interrogating', 'triaged', 'building', 'in_review', 'merged', 'rejected'];
const artifact_url = 'https://example.org/result';

forEachStore((store) => {
  const hub = useTestHub({ store });
  const implementer = useTestAgent(hub, { handle: 'implementer' });
  const reviewer = useTestAgent(hub, { handle: 'reviewer' });
  const stranger = useTestAgent(hub, { handle: 'stranger' });

  const call = ({ bearerToken: token }: TestAgent, path: string, json?: object) =>
    hub.fetch(`/v1${path}`, { token, json });
  const propose = (agent: TestAgent, json: object = {}) =>
    call(agent, '/work-orders', { title: 'A title', description: 'A problem', ...json });
  const move = (agent: TestAgent, id: string, json: object) =>
    call(agent, `/work-orders/${id}/transition`, json);

  test('a work order goes from proposal to merge, including a send-back, and the trail records every step', async () => {
    const proposer = await createTestAgent(hub.ctx);
    const [title, description] = ['Größer <b>', 'Problem\n\tWho\u{1f600}'];
    const proposed = await propose(proposer, { title, description });
    const created_at = hub.clock.now().toISOString();
    const { id } = proposed.body;
    expect([proposed.status, proposed.body]).toEqual([
      201,
      { id, title, description, status: 'proposed', proposer_handle: proposer.handle, bounty: 0, created_at },
    ]);
    expectError(await move(stranger, id, { to: 'interrogating', artifact_url }), 400, 'invalid_body');
    const steps: [TestAgent, Record<string, string | null>][] = [
      [stranger, { to: 'interrogating', note: 'Why\n<now>?' }],
      [stranger, { to: 'triaged', note: null }],
      [stranger, { to: 'building', implementer_handle: 'implementer' }],
      [implementer, { to: 'in_review', reviewer_handle: 'stranger' }],
      [stranger, { to: 'building', note: 'Not yet' }],
      [implementer, { to: 'in_review', reviewer_handle: 'reviewer', note: '', artifact_url }],
      [reviewer, { to: 'merged', note: 'Well done' }],
    ];
    let last: TestResponse | undefined;
    for (const [agent, json] of steps) {
      hub.clock.advance(1_000);
      if (json['artifact_url'] !== undefined)
        for (const bad of ['ftp://example.org', `https://example.org/${'x'.repeat(300)}`, 'result'])
          expectError(await move(agent, id, { ...json, artifact_url: bad }), 400, 'invalid_body');
      last = await move(agent, id, json);
      expect([last.status, last.body.work_order.status]).toEqual([200, json['to']]);
      if (json['note'] === 'Not yet') expect(last.body.work_order.reviewer_handle).toBe('stranger');
    }
    const shown = await hub.fetch(`/v1/work-orders/${id}`);
    expect(shown.body).toEqual(last!.body);
    const trail = steps.map(([agent, json], i) => ({
      from_status: i === 0 ? 'proposed' : steps[i - 1]![1]['to'],
      to_status: json['to'],
      actor_handle: agent.handle,
      note: json['note'] ?? null,
      created_at: new Date(Date.parse(created_at) + (i + 1) * 1_000).toISOString(),
    }));
    const opening = { from_status: null, to_status: 'proposed', actor_handle: proposer.handle };
    expect(shown.body.work_order).toEqual({
      id,
      title,
      description,
      status: 'merged',
      proposer_handle: proposer.handle,
      implementer_handle: 'implementer',
      bounty: 0,
      bounty_expires_at: null,
      artifact_url,
      reviewer_handle: 'reviewer',
      created_at,
      updated_at: trail.at(-1)!.created_at,
      events: [{ ...opening, note: null, created_at }, ...trail],
    });
    const reputationOf = async (handle: string) => (await hub.fetch(`/v1/agents/${handle}/reputation`)).body;
    const built = { kind: 'work_order_completed', reference: id, weight: 25 };
    const reviewed = { kind: 'review_completed', reference: id, weight: 15 };
    expect((await reputationOf('implementer')).recent[0]).toMatchObject(built);
    expect((await reputationOf('reviewer')).recent[0]).toMatchObject(reviewed);
    expect((await reputationOf('stranger')).total).toBe(0);
  });

  test('each refusal of a move has its status and code', async () => {
    const proposer = await createTestAgent(hub.ctx);
    const { id } = (await propose(proposer)).body;
    expectError(await move(proposer, Bun.randomUUIDv7(), { to: 'rejected' }), 404, 'not_found');
    const early = await move(proposer, id, { to: 'merged' });
    expectError(early, 400, 'invalid_transition');
    expect(early.body.allowed.toSorted()).toEqual(['interrogating', 'rejected']);
    for (const to of ['interrogating', 'triaged']) await move(proposer, id, { to });
    const claim = (implementer_handle: string) => move(proposer, id, { to: 'building', implementer_handle });
    expectError(await claim('nobody-here'), 400, 'unknown_agent');
    expectError(await claim(proposer.handle), 400, 'separation_of_duties');
    await claim('implementer');
    const submit = { to: 'in_review', reviewer_handle: 'reviewer' };
    expectError(await move(reviewer, id, submit), 403, 'not_implementer');
    await move(implementer, id, submit);
    expectError(await move(implementer, id, { to: 'merged' }), 403, 'not_reviewer');
    for (let count = 1; count < 5; count += 1) await propose(proposer);
    expectError(await propose(proposer), 429, 'proposal_rate_limited');
  });

  test('an unknown status is 400 with the known ones', async () => {
    const unknown = await hub.fetch('/v1/work-orders?status=open');
    expectError(unknown, 400, 'invalid_parameter');
    for (const status of statuses) expect(unknown.body.message).toContain(status);
  });

  test('a bounty is deducted at once, and a proposal rejected because of it does not count', async () => {
    const agent = await createTestAgent(hub.ctx, { tokens: 10 });
    const balance = async () => (await call(agent, '/tokens/balance')).body.balance;
    for (const bounty of [-1, 0.5, 10_001])
      expectError(await propose(agent, { bounty }), 400, 'invalid_body');
    for (let tries = 0; tries < 6; tries += 1)
      expectError(await propose(agent, { bounty: 11 }), 402, 'insufficient_tokens');
    const { status, body } = await propose(agent, { bounty: 10 });
    expect([status, body.bounty, await balance()]).toEqual([201, 10, 0]);
    const listed = async (by: string) => (await hub.fetch(`/v1/work-orders?${by}`)).body.work_orders;
    expect(await listed(`proposer=${agent.handle}`)).toMatchObject([
      { id: body.id, bounty: 10, artifact_url: null },
    ]);
    for (const role of ['implementer', 'reviewer']) expect(await listed(`${role}=nobody-yet`)).toEqual([]);
    await move(agent, body.id, { to: 'rejected' });
    expect(await balance()).toBe(10);
    const history = await call(agent, '/tokens/history?kind=refund');
    expect(history.body.entries).toMatchObject([{ amount: 10, reference: body.id }]);
  });

  test('anybody can comment on a work order, comments are listed oldest first, and the others are notified', async () => {
    const proposer = await createTestAgent(hub.ctx);
    const { id } = (await propose(proposer)).body;
    const path = `/work-orders/${id}/comments`;
    const first = await call(stranger, path, { body: 'Why now?' });
    const { comment } = first.body;
    const created_at = hub.clock.now().toISOString();
    expect([first.status, comment]).toEqual([
      201,
      { id: expect.any(String), author_handle: 'stranger', body: 'Why now?', created_at },
    ]);
    await call(proposer, path, { body: 'Because.' });
    const page = await hub.fetch(`/v1${path}?limit=1`);
    expect(page.body.comments).toEqual([comment]);
    const rest = await hub.fetch(`/v1${path}?cursor=${page.body.next_cursor}`);
    expect(rest.body).toMatchObject({ comments: [{ body: 'Because.' }], next_cursor: null });
    const told = async (agent: TestAgent) =>
      (await call(agent, '/notifications?kind=work_order.commented')).body.notifications;
    expect(await told(proposer)).toMatchObject([{ data: { work_order_id: id, comment_id: comment.id } }]);
    expect(await told(stranger)).toEqual([]);
    expectError(await call(stranger, path, { body: ' ' }), 400, 'invalid_body');
    const nowhere = `/work-orders/${Bun.randomUUIDv7()}/comments`;
    expectError(await call(stranger, nowhere, { body: 'x' }), 404, 'not_found');
    expectError(await hub.fetch(`/v1${nowhere}`), 404, 'not_found');
  });
});
