/**
 * Work orders over HTTP, on both stores: proposals and their limit, every transition, who may make it, and
 * the audit trail.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { listWorkOrders } from '#domain/work-orders/list-work-orders.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { type TestHub, type TestResponse, useTestHub } from '#test/harness/hub.ts';
import { faultOf, plansOf } from '#test/harness/query-plans.ts';
import { forEachStore } from '#test/harness/stores.ts';

const statuses = ['proposed', 'interrogating', 'triaged', 'building', 'in_review', 'merged', 'rejected'];
/** The transitions that lead to each status. */
const ways: Record<string, string[]> = {
  proposed: [],
  interrogating: ['interrogating'],
  triaged: ['interrogating', 'triaged'],
  building: ['interrogating', 'triaged', 'building'],
  in_review: ['interrogating', 'triaged', 'building', 'in_review'],
  merged: ['interrogating', 'triaged', 'building', 'in_review', 'merged'],
  rejected: ['rejected'],
};

forEachStore((store) => {
  let implementer: TestAgent;
  let reviewer: TestAgent;
  let stranger: TestAgent;
  let verified: TestAgent;
  let maintainer: TestAgent;
  const maintainerDids = new Set<string>();
  const hub = useTestHub({ store, rules: { maintainerDids } });
  beforeAll(async () => {
    [implementer, reviewer, stranger, verified, maintainer] = await Promise.all([
      createTestAgent(hub.ctx, { handle: 'implementer' }),
      createTestAgent(hub.ctx, { handle: 'reviewer' }),
      createTestAgent(hub.ctx, { handle: 'stranger' }),
      createTestAgent(hub.ctx, { handle: 'verified' }),
      createTestAgent(hub.ctx, { handle: 'maintainer' }),
    ]);
    maintainerDids.add(maintainer.did);
    const { agents } = store.db.tables;
    await store.db.transaction((tx) =>
      tx.query.update(agents).set({ verifiedBadge: true }).where(eq(agents.id, verified.id)),
    );
  });

  function propose(agent: TestAgent, json: unknown = { title: 'A title', description: 'A problem' }) {
    return hub.fetch('/v1/work-orders', { token: agent.bearerToken, json });
  }
  function move(agent: TestAgent, id: string, json: unknown, at: TestHub = hub) {
    return at.fetch(`/v1/work-orders/${id}/transition`, { token: agent.bearerToken, json });
  }
  /** The fields that a transition requires besides its target. */
  function bodyOf(to: string) {
    return { to, implementer_handle: 'implementer', reviewer_handle: 'reviewer' };
  }
  /** A work order of a new proposer, moved to `status` by ordinary transitions. */
  async function orderIn(status: string): Promise<{ id: string; proposer: TestAgent }> {
    const proposer = await createTestAgent(hub.ctx);
    const { id } = (await propose(proposer)).body;
    let from = 'proposed';
    for (const to of ways[status]!) {
      const by = from === 'building' ? implementer : from === 'in_review' ? reviewer : proposer;
      const response = await move(by, id, bodyOf(to));
      expect(response.status).toBe(200);
      from = to;
    }
    return { id, proposer };
  }
  async function read(id: string) {
    return (await hub.fetch(`/v1/work-orders/${id}`)).body.work_order;
  }

  test('a work order goes from proposal to merge, including a send-back, and the trail records every step', async () => {
    const proposer = await createTestAgent(hub.ctx);
    const [title, description] = ['Größer <b>', 'Problem\n\tWho\u{1f600}'];
    const proposed = await propose(proposer, { title, description });
    const created_at = hub.clock.now().toISOString();
    const { id } = proposed.body;
    expect([proposed.status, proposed.body]).toEqual([
      201,
      {
        id,
        title,
        description,
        status: 'proposed',
        proposer_handle: proposer.handle,
        bounty: 0,
        created_at,
      },
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

  describe('transitions', () => {
    test('a transition that is not allowed is 400 with the allowed ones', async () => {
      const { id } = await orderIn('in_review');
      const before = await read(id);
      for (const to of ['interrogating', 'triaged', 'in_review']) {
        const rejected = await move(maintainer, id, bodyOf(to));
        expectError(rejected, 400, 'invalid_transition');
        expect(rejected.body.allowed.toSorted()).toEqual(['building', 'merged', 'rejected']);
        for (const status of rejected.body.allowed) {
          expect(rejected.body.message).toContain(`\`${status}\``);
        }
      }
      expectError(await move(maintainer, id, { to: 'proposed' }), 400, 'invalid_body');
      expect(await read(id)).toEqual(before);
    });
  });

  test('lists page newest first and filter by status; an unknown status is 400 with the known ones', async () => {
    const all: { id: string; status: string }[] = [];
    for (let path: string | null = '/v1/work-orders?limit=20'; path !== null;) {
      const { body, headers }: TestResponse = await hub.fetch(path);
      all.push(...body.work_orders);
      path = /^<(.+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? null;
    }
    const { workOrders } = store.db.tables;
    const rows = await store.db.query.select({ id: workOrders.id }).from(workOrders);
    const ids = rows.map((row) => row.id).toSorted();
    expect(all.map((order) => order.id)).toEqual(ids.toReversed());
    expect(Object.keys(all[0]!)).not.toContain('events');
    for (const status of statuses) {
      const { body } = await hub.fetch(`/v1/work-orders?status=${status}`);
      expect(body.work_orders).toEqual(all.filter((order) => order.status === status));
    }
    const unknown = await hub.fetch('/v1/work-orders?status=open');
    expectError(unknown, 400, 'invalid_parameter');
    for (const status of statuses) expect(unknown.body.message).toContain(status);
    const { nextCursor } = await listWorkOrders(hub.ctx, { limit: 1, cursor: null, status: null });
    for (const status of [null, 'proposed'] as const) {
      for (const cursor of [null, nextCursor]) {
        const plans = await plansOf(store, () => listWorkOrders(hub.ctx, { limit: 100, cursor, status }));
        expect(plans.map(faultOf).filter((fault) => fault !== null)).toEqual([]);
      }
    }
  });
});
