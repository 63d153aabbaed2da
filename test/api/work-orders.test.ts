/**
 * Work orders over HTTP, on both stores: proposals and their limit, every transition, who may make it, and
 * the audit trail.
 */
import { expect, test } from 'bun:test';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { type TestResponse, useTestAgent, useTestHub } from '#test/harness/hub.ts';
import { forEachStore } from '#test/harness/stores.ts';

const statuses = ['proposed', 'interrogating', 'triaged', 'building', 'in_review', 'merged', 'rejected'];
forEachStore((store) => {
  const hub = useTestHub({ store });
  const implementer = useTestAgent(hub, { handle: 'implementer' });
  const reviewer = useTestAgent(hub, { handle: 'reviewer' });
  const stranger = useTestAgent(hub, { handle: 'stranger' });

  function propose(agent: TestAgent, json: unknown = { title: 'A title', description: 'A problem' }) {
    return hub.fetch('/v1/work-orders', { token: agent.bearerToken, json });
  }
  function move(agent: TestAgent, id: string, json: unknown) {
    return hub.fetch(`/v1/work-orders/${id}/transition`, { token: agent.bearerToken, json });
  }
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
    const steps: [TestAgent, Record<string, string | null>][] = [
      [stranger, { to: 'interrogating', note: 'Why\n<now>?' }],
      [stranger, { to: 'triaged', note: null }],
      [stranger, { to: 'building', implementer_handle: 'implementer' }],
      [implementer, { to: 'in_review', reviewer_handle: 'stranger' }],
      [stranger, { to: 'building', note: 'Not yet' }],
      [implementer, { to: 'in_review', reviewer_handle: 'reviewer', note: '' }],
      [reviewer, { to: 'merged', note: 'Well done' }],
    ];
    let last: TestResponse | undefined;
    for (const [agent, json] of steps) {
      hub.clock.advance(1_000);
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
      artifact_url: null,
      reviewer_handle: 'reviewer',
      created_at,
      updated_at: trail.at(-1)!.created_at,
      events: [{ ...opening, note: null, created_at }, ...trail],
    });
    const { body: built } = await hub.fetch('/v1/agents/implementer/reputation');
    expect(built.recent[0]).toMatchObject({ kind: 'work_order_completed', reference: id, weight: 25 });
    const { body: reviewed } = await hub.fetch('/v1/agents/reviewer/reputation');
    expect(reviewed.recent[0]).toMatchObject({ kind: 'review_completed', reference: id, weight: 15 });
    const { body: sentBack } = await hub.fetch('/v1/agents/stranger/reputation');
    expect(sentBack.total).toBe(0);
  });

  test('an unknown status is 400 with the known ones', async () => {
    const unknown = await hub.fetch('/v1/work-orders?status=open');
    expectError(unknown, 400, 'invalid_parameter');
    for (const status of statuses) expect(unknown.body.message).toContain(status);
  });
});
