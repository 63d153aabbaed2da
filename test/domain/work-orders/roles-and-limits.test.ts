/** Work orders: who may make which move, what races and long trails leave, and how many an agent may propose. */
import { beforeAll, expect, test } from 'bun:test';
import { withTransaction } from '#domain/context.ts';
import { commentOnWorkOrder } from '#domain/work-orders/comment-on-work-order.ts';
import { listWorkOrders } from '#domain/work-orders/list-work-orders.ts';
import { showReputation } from '#domain/reputation/show-reputation.ts';
import { proposeWorkOrder } from '#domain/work-orders/propose-work-order.ts';
import { showWorkOrder } from '#domain/work-orders/show-work-order.ts';
import { drawStateMachine, type MoveTarget, moves, moveTargets } from '#domain/work-orders/state-machine.ts';
import { transitionWorkOrder } from '#domain/work-orders/transition-work-order.ts';
import { eventsBeforeLastReview } from '#domain/work-orders/work-order-limits.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { plansOf } from '#test/harness/query-plans.ts';
import { rowOf, rowsOf } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { codeOf, domainErrorOf, tally } from '../outcomes.ts';
import { openTwoProcesses } from '../two-processes.ts';

const dayMs = 24 * 60 * 60 * 1_000;
const way = ['interrogating', 'triaged', 'building', 'in_review'] as const;

test('the documented diagram shows every move', () => {
  const lines = drawStateMachine().split('\n');
  const shown = lines.flatMap((line) => {
    const [, starts = '', to] = /^([^─]+) ─ [^→]+ → (\w+) /.exec(line) ?? [];
    return starts.split(', ').map((from) => `${from} ${to}`);
  });
  expect(shown.toSorted()).toEqual(moves.map(({ from, to }) => `${from} ${to}`).toSorted());
  expect(moveTargets).not.toContain('proposed');
});

forEachStore((store) => {
  const race = openTwoProcesses(store);
  let [implementer, reviewer, stranger, verified, maintainer]: TestAgent[] = [];
  const ctx = useTestCtx(store);
  beforeAll(async () => {
    [implementer, reviewer, stranger, verified, maintainer] = await Promise.all(
      Array.from({ length: 5 }, () => createTestAgent(ctx)),
    );
    verified = { ...verified!, verifiedBadge: true };
    ctx.maintainerDids.add(maintainer!.did);
  });
  const propose = (agent: TestAgent, at = ctx) =>
    proposeWorkOrder(actingAs(at, agent), { title: 'Title', description: 'Text' });
  const move = (by: TestAgent | undefined, workOrderId: string, to: MoveTarget, handles = {}, at = ctx) =>
    transitionWorkOrder(actingAs(at, by!), {
      workOrderId,
      to,
      note: null,
      implementerHandle: implementer!.handle,
      reviewerHandle: reviewer!.handle,
      ...handles,
    });
  /** A work order in this status, with its proposer. */
  async function orderIn(status: 'proposed' | (typeof way)[number]): Promise<[string, TestAgent]> {
    const proposer = await createTestAgent(ctx);
    const { id } = await propose(proposer);
    for (const to of way.slice(0, status === 'proposed' ? 0 : way.indexOf(status) + 1))
      await move(to === 'in_review' ? implementer : stranger, id, to);
    return [id, proposer];
  }

  test('verified agents may reject before the claim; participants and maintainers may reject at any time', async () => {
    for (const status of ['proposed', 'interrogating', 'triaged'] as const) {
      for (const by of [verified, maintainer]) await move(by, (await orderIn(status))[0], 'rejected');
      const [id, proposer] = await orderIn(status);
      expect(await codeOf(move(stranger, id, 'rejected'))).toBe('not_a_participant');
      await move(proposer, id, 'rejected');
    }
    for (const status of ['building', 'in_review'] as const) {
      for (const by of [implementer, maintainer]) await move(by, (await orderIn(status))[0], 'rejected');
      const [id, proposer] = await orderIn(status);
      for (const by of [stranger, verified])
        expect(await codeOf(move(by, id, 'rejected'))).toBe('not_a_participant');
      await move(proposer, id, 'rejected');
    }
  });

  test('an assignee must be named, exist and have no other role; the caller is checked first', async () => {
    const [triaged, proposer] = await orderIn('triaged');
    const claim = (implementerHandle: string | null) =>
      codeOf(move(stranger, triaged, 'building', { implementerHandle }));
    expect(await claim(null)).toBe('invalid_body');
    expect(await claim('nobody-at-all')).toBe('unknown_agent');
    expect(await claim(proposer.handle)).toBe('separation_of_duties');
    await move(stranger, triaged, 'building');
    const submit = (reviewerHandle: string | null, by = implementer) =>
      codeOf(move(by, triaged, 'in_review', { reviewerHandle }));
    expect(await submit(null)).toBe('invalid_body');
    expect(await submit('nobody-at-all')).toBe('unknown_agent');
    for (const { handle } of [proposer, implementer!])
      expect(await submit(handle)).toBe('separation_of_duties');
    expect(await submit(null, stranger)).toBe('not_implementer');
  });

  test('comments notify the participants that have acted, until the work order is final', async () => {
    const [id, proposer] = await orderIn('building');
    const told = async () => {
      await commentOnWorkOrder(actingAs(ctx, stranger!), { workOrderId: id, body: 'Hello' });
      const notices = await rowsOf(ctx, 'notifications', { kind: 'work_order.commented' });
      const [newest] = await rowsOf(ctx, 'workOrderComments', { workOrderId: id }).then((rows) =>
        rows.toSorted((a, b) => (a.id < b.id ? 1 : -1)),
      );
      return notices
        .filter(({ data }) => 'comment_id' in data && data.comment_id === newest?.id)
        .map(({ agentId }) => agentId)
        .toSorted();
    };
    const both = [proposer.id, implementer!.id].toSorted();
    expect(await told()).toEqual([proposer.id]);
    // However many comments the work order has, or one who is named has written elsewhere.
    const comment = { workOrderId: id, body: 'Hello' };
    const plans = await withTransaction(ctx, (inner) =>
      plansOf({ db: inner.db, setting: store.setting }, () =>
        commentOnWorkOrder({ ...actingAs(ctx, stranger!), ...inner }, comment),
      ),
    );
    expect(plans.filter((plan) => plan.includes('work_order_comments_by_author_and_order'))).toHaveLength(1);
    await commentOnWorkOrder(actingAs(ctx, implementer!), { workOrderId: id, body: 'I start.' });
    expect(await told()).toEqual(both);
    await move(implementer, id, 'in_review');
    expect(await told()).toEqual(both);
    await move(reviewer, id, 'merged');
    expect(await told()).toEqual([]);
  });

  test('only the reviewer merges or sends back', async () => {
    const [id, proposer] = await orderIn('in_review');
    for (const by of [proposer, implementer, stranger, maintainer])
      for (const to of ['merged', 'building'] as const)
        expect(await codeOf(move(by, id, to))).toBe('not_reviewer');
    await move(reviewer, id, 'merged');
  });

  test('of concurrent moves in two processes one wins at a time, and no audit entry is lost or duplicated', async () => {
    for (let round = 0; round < 15; round += 1) {
      const [proposer, builder, judge] = [
        await createTestAgent(ctx),
        await createTestAgent(ctx),
        await createTestAgent(ctx),
      ];
      const { id } = await propose(proposer);
      const names = { implementerHandle: builder.handle, reviewerHandle: judge.handle };
      // A late move starts from a status that does not allow it.
      for (const to of way)
        expect(
          await tally(race(ctx, 6, (at) => move(to === 'in_review' ? builder : stranger, id, to, names, at))),
        ).toEqual({ ok: 1, invalid_transition: 5 });
      const ends = [
        [judge, 'merged'],
        [proposer, 'rejected'],
        [judge, 'merged'],
        [builder, 'rejected'],
      ] as const;
      const ended = race(ctx, ends.length, (at, index) => {
        const [by, to] = ends[index]!;
        return move(by, id, to, names, at);
      });
      expect((await tally(ended))['ok']).toBe(1);
      const shown = await showWorkOrder(ctx, { workOrderId: id });
      const trail = ['proposed', ...way, shown.status];
      expect(shown.events.map(({ fromStatus, toStatus }) => [fromStatus, toStatus] as unknown)).toEqual(
        trail.map((status, index) => [trail[index - 1] ?? null, status]),
      );
      const earned = await Promise.all(
        [builder, judge].map(async ({ handle }) => (await showReputation(ctx, { handle })).total),
      );
      expect(earned).toEqual(shown.status === 'merged' ? [25, 15] : [0, 0]);
    }
  });

  test('a very long trail ends with a merge or a rejection and is shown in full', async () => {
    const [id] = await orderIn('in_review');
    let sent = 0;
    while ((await tally([move(reviewer, id, 'building')]))['ok'] === 1) {
      await move(implementer, id, 'in_review');
      sent += 1;
      expect(sent).toBeLessThan(eventsBeforeLastReview);
    }
    const { events } = await showWorkOrder(ctx, { workOrderId: id });
    expect(events.length).toBeGreaterThanOrEqual(eventsBeforeLastReview);
    await move(reviewer, id, 'merged');
    const stored = await rowsOf(ctx, 'workOrderEvents', { workOrderId: id });
    expect(stored).toHaveLength(events.length + 1);
    expect((await rowOf(ctx, 'workOrders', { id })).eventCount).toBe(stored.length);
  });

  test('a move that is not allowed lists those that are, and an unknown work order is not found', async () => {
    const [id] = await orderIn('proposed');
    expect(await domainErrorOf(move(stranger, id, 'merged'))).toMatchObject({
      code: 'invalid_transition',
      extras: { fields: { allowed: ['interrogating', 'rejected'] } },
    });
    const unknown = Bun.randomUUIDv7();
    expect(await codeOf(move(stranger, unknown, 'rejected'))).toBe('not_found');
    expect(await codeOf(showWorkOrder(ctx, { workOrderId: unknown }))).toBe('not_found');
  });

  test('five proposals are allowed within 24 hours, and the next when the first is exactly that old', async () => {
    const proposer = await createTestAgent(ctx);
    for (let i = 0; i < 5; i += 1) {
      await propose(proposer);
      ctx.clock.advance(1_000);
    }
    expect(await domainErrorOf(propose(proposer))).toMatchObject({
      code: 'proposal_rate_limited',
      extras: { retryAfterSeconds: dayMs / 1_000 - 5 },
    });
    ctx.clock.advance(dayMs - 5_001);
    expect(await codeOf(propose(proposer))).toBe('proposal_rate_limited');
    ctx.clock.advance(1);
    await propose(proposer);
  });

  test('of many concurrent proposals of one agent, five succeed', async () => {
    const proposer = await createTestAgent(ctx);
    expect(await tally(race(ctx, 12, (at) => propose(proposer, at)))).toEqual({
      ok: 5,
      proposal_rate_limited: 7,
    });
  });

  test('work orders are listed newest first, page by page, and by status', async () => {
    ctx.clock.advance(1);
    const [older] = await orderIn('triaged');
    ctx.clock.advance(1);
    const [newer] = await orderIn('triaged');
    const first = await listWorkOrders(ctx, { status: 'triaged', limit: 1, cursor: null });
    const second = await listWorkOrders(ctx, { status: 'triaged', limit: 1, cursor: first.nextCursor });
    expect([first.items, second.items]).toMatchObject([[{ id: newer }], [{ id: older }]]);
  });
});
