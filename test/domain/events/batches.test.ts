/** However commands are grouped into batches, each gets the reply that it would get on its own. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { withTransaction } from '#domain/context.ts';
import { DomainError } from '#domain/errors.ts';
import type { EventRow } from '#domain/events/event-rows.ts';
import { handleSeatCommands } from '#domain/events/handle-seat-commands.ts';
import type { SeatCommand, SeatReply } from '#domain/events/seat-commands.ts';
import { createId } from '#runtime/create-id.ts';
import { createTestClock } from '#test/harness/clock.ts';
import { createCrowd } from '#test/harness/crowd.ts';
import { createTestCtx, type TestCtx } from '#test/harness/ctx.ts';
import { claimTestEvents, createTestEvent, hourMs } from '#test/harness/events.ts';
import { expectSeatAccountsRight } from '#test/harness/seat-accounts.ts';
import { forEachStore } from '#test/harness/stores.ts';

/** A command before its agents and events have ids. */
interface Plan {
  readonly kind: 'reserve' | 'cancel' | 'wait' | 'resize' | 'end';
  readonly agent: number;
  readonly event: number;
  readonly key: number;
}

const agentCount = 4;
const eventCount = 2;

const plan: fc.Arbitrary<Plan> = fc.record({
  kind: fc.oneof(
    { weight: 10, arbitrary: fc.constant('reserve' as const) },
    { weight: 6, arbitrary: fc.constant('cancel' as const) },
    { weight: 3, arbitrary: fc.constant('wait' as const) },
    { weight: 2, arbitrary: fc.constant('resize' as const) },
    { weight: 1, arbitrary: fc.constant('end' as const) },
  ),
  agent: fc.nat(agentCount - 1),
  event: fc.nat(eventCount - 1),
  key: fc.nat(3),
});

forEachStore((store) => {
  /** Carries out the plans in batches of the given sizes and returns each reply. */
  async function carryOut(
    ctx: TestCtx,
    plans: readonly Plan[],
    sizes: readonly number[],
  ): Promise<unknown[]> {
    const crowd = await createCrowd(ctx, agentCount, 7);
    const ids: string[] = [];
    for (const startsInHours of [72, 12]) {
      const startsAt = new Date(ctx.clock.now().getTime() + startsInHours * hourMs);
      ids.push((await createTestEvent(ctx, { seatsTotal: 2, tokenPrice: 3, startsAt })).id);
    }
    let events = new Map<string, EventRow>(
      (await withTransaction(ctx, (tx) => claimTestEvents(tx, ids))).map((event) => [event.id, event]),
    );
    const answers: unknown[] = [];
    let next = 0;
    for (let batch = 0; next < plans.length; batch += 1) {
      const size = sizes[batch % sizes.length] ?? 1;
      const part = plans.slice(next, next + size);
      next += size;
      const work = ids.map((id, index) => ({
        state: events.get(id)!,
        messages: part
          .filter(({ event }) => event === index)
          .map((one) => ({ id: createId(ctx.clock.now()), command: commandOf(one, crowd[one.agent]!) })),
      }));
      const results = await withTransaction(ctx, (tx) => handleSeatCommands(tx, work));
      events = new Map(results.map(({ state }) => [state.id, state]));
      const replies = results.map((result) => [...result.replies]);
      for (const { event } of part) answers.push(essence(replies[event]!.shift()!));
    }
    for (const [id, event] of events) {
      const { events: table } = store.db.tables;
      const row = (await store.db.query.select().from(table)).find((one) => one.id === id);
      expect(event).toEqual(row!);
    }
    return answers;
  }

  test('a batch gives the same replies as its commands one by one', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(plan, { minLength: 1, maxLength: 40 }),
        fc.array(fc.integer({ min: 1, max: 15 }), { minLength: 1, maxLength: 5 }),
        async (plans, sizes) => {
          const ctx = createTestCtx(store.db, createTestClock(new Date('2030-01-01T00:00:00Z')));
          const alone = await carryOut(ctx, inEventOrder(plans, sizes), [1]);
          const together = await carryOut(ctx, inEventOrder(plans, sizes), sizes);
          expect(together).toEqual(alone);
        },
      ),
      { numRuns: 25 },
    );
    await expectSeatAccountsRight(store.db);
  });
});

/** Batches of different events have no order between them, so the commands are sorted by event. */
function inEventOrder(plans: readonly Plan[], sizes: readonly number[]): Plan[] {
  const ordered: Plan[] = [];
  for (let next = 0, batch = 0; next < plans.length; batch += 1) {
    const size = sizes[batch % sizes.length] ?? 1;
    ordered.push(...plans.slice(next, next + size).toSorted((a, b) => a.event - b.event));
    next += size;
  }
  return ordered;
}

function commandOf({ kind, key }: Plan, agent: { id: string; handle: string }): SeatCommand {
  switch (kind) {
    case 'reserve':
      return {
        kind: 'reserve-seat',
        agentId: agent.id,
        agentHandle: agent.handle,
        key: `key ${key}`,
      };
    case 'cancel':
      return { kind: 'cancel-seat', agentId: agent.id, key: key === 0 ? null : `cancel ${key}` };
    case 'wait':
      return { kind: 'join-waitlist', agentId: agent.id };
    case 'resize':
      return { kind: 'change-event', changes: { seatsTotal: 1 + key, tokenPrice: key } };
    case 'end':
      return { kind: 'cancel-event' };
  }
}

/** A reply without the ids that differ from run to run. */
function essence(reply: SeatReply | DomainError): unknown {
  if (reply instanceof DomainError) return reply.code;
  if ('event' in reply) {
    const { seatsTaken, seatsTotal, status, waitlistCount, calendarSequence } = reply.event;
    return { seatsTaken, seatsTotal, status, waitlistCount, calendarSequence };
  }
  if (!('seat' in reply)) return reply;
  const { seat, ...rest } = reply;
  const { status, pricePaid, refunded, idempotencyKey, calendarSequence } = seat;
  return { ...rest, status, pricePaid, refunded, idempotencyKey, calendarSequence };
}
