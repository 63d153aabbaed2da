/**
 * Work orders under random moves, sequential and concurrent: status, audit trail and reputation always agree.
 */
import { expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import { openDatabase } from '#db/open-database.ts';
import type { AgentCtx } from '#domain/context.ts';
import { DomainError } from '#domain/errors.ts';
import { proposeWorkOrder } from '#domain/work-orders/propose-work-order.ts';
import { showWorkOrder } from '#domain/work-orders/show-work-order.ts';
import { drawStateMachine, type MoveTarget, moves, moveTargets } from '#domain/work-orders/state-machine.ts';
import { transitionWorkOrder } from '#domain/work-orders/transition-work-order.ts';
import { eventsBeforeLastReview } from '#domain/work-orders/work-order-limits.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs, createTestCtx, type TestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';

interface RandomMove {
  readonly actor: number;
  readonly to: MoveTarget;
  readonly named: number;
}

const randomMove: fc.Arbitrary<RandomMove> = fc.record({
  actor: fc.nat(3),
  to: fc.constantFrom<MoveTarget>(
    'interrogating',
    'triaged',
    'building',
    'in_review',
    'merged',
    'rejected',
    'building',
    'in_review',
  ),
  named: fc.nat(3),
});
/**
 * Most random walks would be rejected early or never leave the first status, so these start in the middle.
 */
const randomWalk = fc.record({
  skip: fc.boolean(),
  steps: fc.array(randomMove, { minLength: 1, maxLength: 12 }),
});

interface Model {
  status: string;
  implementer: number | null;
  reviewer: number | null;
}

/** A second, independent implementation of the rules. Agent 0 proposes; nobody is verified. */
function step(model: Model, { actor, to, named }: RandomMove): string {
  const { status, implementer, reviewer } = model;
  const order = ['proposed', 'interrogating', 'triaged', 'building', 'in_review', 'merged'];
  const isOpen = status !== 'merged' && status !== 'rejected';
  const isNext = isOpen && order.indexOf(to) === order.indexOf(status) + 1;
  const isSendBack = status === 'in_review' && to === 'building';
  if (!(isOpen && (isNext || isSendBack || to === 'rejected'))) return 'invalid_transition';
  if (to === 'rejected' && ![0, implementer, reviewer].includes(actor)) return 'not_a_participant';
  if (to === 'in_review' && actor !== implementer) return 'not_implementer';
  if ((isSendBack || to === 'merged') && actor !== reviewer) return 'not_reviewer';
  if (to === 'building' && !isSendBack) {
    if (named === 0) return 'separation_of_duties';
    model.implementer = named;
  }
  if (to === 'in_review') {
    if (named === 0 || named === implementer) return 'separation_of_duties';
    model.reviewer = named;
  }
  model.status = to;
  return 'ok';
}

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
  async function crew(ctx: TestCtx): Promise<AgentCtx[]> {
    const agents = await Promise.all(Array.from({ length: 4 }, () => createTestAgent(ctx)));
    return agents.map((agent) => actingAs(ctx, agent));
  }
  async function make(agents: readonly AgentCtx[], workOrderId: string, random: RandomMove): Promise<string> {
    const handle = agents[random.named]!.agent.handle;
    try {
      const moved = await transitionWorkOrder(agents[random.actor]!, {
        workOrderId,
        to: random.to,
        note: null,
        implementerHandle: handle,
        reviewerHandle: handle,
      });
      expect(moved.status).toBe(random.to);
      return 'ok';
    } catch (error) {
      if (error instanceof DomainError) return error.code;
      throw error;
    }
  }
  async function reputationOf({ db, agent }: AgentCtx): Promise<number> {
    const { agents } = db.tables;
    const [row] = await db.query.select().from(agents).where(eq(agents.id, agent.id));
    return row!.reputationTotal;
  }

  test('any walk gets the results the rules require, and the audit trail is the walk', async () => {
    const ctx = createTestCtx(store.db);
    await fc.assert(
      fc.asyncProperty(randomWalk, async ({ skip, steps }) => {
        const agents = await crew(ctx);
        const { id } = await proposeWorkOrder(agents[0]!, { title: 'x', description: 'x' });
        const model: Model = { status: 'proposed', implementer: null, reviewer: null };
        const first: RandomMove[] = skip
          ? [
              { actor: 3, to: 'interrogating', named: 0 },
              { actor: 3, to: 'triaged', named: 0 },
              { actor: 3, to: 'building', named: 1 },
              { actor: 1, to: 'in_review', named: 2 },
            ]
          : [];
        const trail = ['proposed'];
        for (const random of [...first, ...steps]) {
          const expected = step(model, random);
          expect(await make(agents, id, random)).toBe(expected);
          if (expected === 'ok') trail.push(random.to);
        }
        const shown = await showWorkOrder(ctx, { workOrderId: id });
        expect(shown.events.map((event) => event.toStatus) as string[]).toEqual(trail);
        expect(shown.events.map((event) => event.fromStatus) as (string | null)[]).toEqual([
          null,
          ...trail.slice(0, -1),
        ]);
        const handleOf = (index: number | null) => (index === null ? null : agents[index]!.agent.handle);
        expect(shown).toMatchObject({
          status: model.status,
          implementerHandle: handleOf(model.implementer),
          reviewerHandle: handleOf(model.reviewer),
        });
        const merged = model.status === 'merged';
        for (const [index, agent] of agents.entries()) {
          const earned = index === model.implementer ? 25 : index === model.reviewer ? 15 : 0;
          expect(await reputationOf(agent)).toBe(merged ? earned : 0);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('of concurrent moves in two processes one wins at a time, and no audit entry is lost or duplicated', async () => {
    const db = await openDatabase(store.setting);
    const ctx = createTestCtx(store.db);
    for (let round = 0; round < 15; round += 1) {
      const agents = await crew(ctx);
      const others = agents.map((agent) => ({ ...agent, db }));
      const { id } = await proposeWorkOrder(agents[0]!, { title: 'x', description: 'x' });
      const way: RandomMove[] = [
        { actor: 3, to: 'interrogating', named: 0 },
        { actor: 3, to: 'triaged', named: 0 },
        { actor: 3, to: 'building', named: 1 },
        { actor: 1, to: 'in_review', named: 2 },
      ];
      for (const random of way) {
        const racing = await Promise.all(
          Array.from({ length: 6 }, (_, i) => make(i % 2 === 0 ? agents : others, id, random)),
        );
        expect(racing.filter((result) => result === 'ok')).toHaveLength(1);
        // A late move starts from a status that does not allow it.
        expect(racing.filter((result) => result === 'invalid_transition')).toHaveLength(5);
      }
      const last = await Promise.all([
        make(agents, id, { actor: 2, to: 'merged', named: 0 }),
        make(others, id, { actor: 0, to: 'rejected', named: 0 }),
        make(others, id, { actor: 2, to: 'merged', named: 0 }),
        make(agents, id, { actor: 1, to: 'rejected', named: 0 }),
      ]);
      expect(last.filter((result) => result === 'ok')).toHaveLength(1);
      const shown = await showWorkOrder(ctx, { workOrderId: id });
      expect(shown.events).toHaveLength(6);
      const merged = shown.status === 'merged';
      expect([await reputationOf(agents[1]!), await reputationOf(agents[2]!)]).toEqual(
        merged ? [25, 15] : [0, 0],
      );
    }
    await db.close();
  });

  test('a very long trail ends with a merge or a rejection and is shown in full', async () => {
    const ctx = createTestCtx(store.db);
    const agents = await crew(ctx);
    const { id } = await proposeWorkOrder(agents[0]!, { title: 'x', description: 'x' });
    const { workOrders, workOrderEvents } = store.db.tables;
    await make(agents, id, { actor: 3, to: 'interrogating', named: 0 });
    await make(agents, id, { actor: 3, to: 'triaged', named: 0 });
    await make(agents, id, { actor: 3, to: 'building', named: 1 });
    await make(agents, id, { actor: 1, to: 'in_review', named: 2 });
    const sendBack = () => make(agents, id, { actor: 2, to: 'building', named: 0 });
    const submit = () => make(agents, id, { actor: 1, to: 'in_review', named: 2 });
    let sent = 0;
    while ((await sendBack()) === 'ok') {
      expect(await submit()).toBe('ok');
      sent += 1;
      expect(sent).toBeLessThan(eventsBeforeLastReview);
    }
    const shown = await showWorkOrder(ctx, { workOrderId: id });
    expect(shown.events.length).toBeGreaterThanOrEqual(eventsBeforeLastReview);
    expect(await make(agents, id, { actor: 2, to: 'merged', named: 0 })).toBe('ok');
    const rows = await store.db.query
      .select()
      .from(workOrderEvents)
      .where(eq(workOrderEvents.workOrderId, id));
    const [order] = await store.db.query.select().from(workOrders).where(eq(workOrders.id, id));
    expect([rows.length, order!.eventCount]).toEqual([shown.events.length + 1, rows.length]);
  });
});
