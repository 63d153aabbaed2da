/**
 * A command that is delivered twice, e.g. because a worker died between its commit and its reply, has no
 * further effect.
 */
import { expect, test } from 'bun:test';
import { withTransaction } from '#domain/context.ts';
import { type EventRow } from '#domain/events/event-rows.ts';
import { isFenceLost } from '#db/errors.ts';
import { handleSeatCommands } from '#domain/events/handle-seat-commands.ts';
import { type SeatCommand, type SeatReply } from '#domain/events/seat-commands.ts';
import { createCrowd } from '#test/harness/crowd.ts';
import { createTestCtx, type TestCtx } from '#test/harness/ctx.ts';
import { claimTestEvents, createTestEvent, hourMs } from '#test/harness/events.ts';
import { expectSeatAccountsRight } from '#test/harness/seat-accounts.ts';
import { forEachStore } from '#test/harness/stores.ts';
import fc from 'fast-check';
import { DomainError } from '#domain/errors.ts';
import { createId } from '#runtime/create-id.ts';
import { createTestClock } from '#test/harness/clock.ts';
import { rowOf, rowsOf } from '#test/harness/rows.ts';
import { cancel as cancelSeat, reserve as reserveSeat } from './run-commands.ts';

interface NamedCommand {
  readonly id: string;
  readonly command: SeatCommand;
}

forEachStore((store) => {
  /** Like a new activation that finds the commands in the mailbox. */
  async function deliver(
    ctx: TestCtx,
    eventId: string,
    commands: readonly NamedCommand[],
  ): Promise<readonly SeatReply[]> {
    return withTransaction(ctx, async (tx) => {
      const [event] = await claimTestEvents(tx, [eventId]);
      const [result] = await handleSeatCommands(tx, [{ state: event!, messages: commands }]);
      return result!.replies.map((reply) => {
        if (reply instanceof Error) throw reply;
        return reply;
      });
    });
  }

  async function prepare(options: Partial<EventRow> = {}) {
    const ctx = createTestCtx(store.db);
    const [agent] = await createCrowd(ctx, 1, 10);
    const event = await createTestEvent(ctx, { tokenPrice: 2, ...options });
    const reserve = (key: string): NamedCommand => ({
      id: `reserve ${key}`,
      command: reserveSeat(agent!, key),
    });
    const cancel = (key: string | null): NamedCommand => ({
      id: 'cancel',
      command: cancelSeat(agent!, key),
    });
    const liveKeys = async () => {
      const live = await rowsOf(ctx, 'seats', { eventId: event.id, status: 'reserved' });
      return live.map((seat) => seat.idempotencyKey);
    };
    return { ctx, event, reserve, cancel, liveKeys };
  }

  test.each([
    ['without a key', null],
    ['with a key', 'once'],
  ])('a redelivered cancel %s keeps the seat that its agent has reserved since', async (_, key) => {
    const { ctx, event, reserve, cancel, liveKeys } = await prepare();
    await deliver(ctx, event.id, [reserve('first')]);
    const batch = [cancel(key), reserve('second')];
    const answers = await deliver(ctx, event.id, batch);
    expect(await liveKeys()).toEqual(['second']);
    const again = await deliver(ctx, event.id, batch);
    expect(await liveKeys()).toEqual(['second']);
    expect(again.map((answer) => 'seat' in answer && answer.seat.id)).toEqual(
      answers.map((answer) => 'seat' in answer && answer.seat.id),
    );
    await expectSeatAccountsRight(store.db);
  });

  test('a superseded activation writes nothing, nor does anything that shares its transaction', async () => {
    const { ctx, event, reserve, liveKeys } = await prepare();
    const other = await createTestEvent(ctx);
    const earlier = await withTransaction(ctx, (tx) => claimTestEvents(tx, [event.id, other.id]));
    const stale = earlier.find(({ id }) => id === event.id)!;
    await withTransaction(ctx, (tx) => claimTestEvents(tx, [event.id]));
    const [bystander] = earlier.filter(({ id }) => id === other.id);
    const attempt = withTransaction(ctx, (tx) =>
      handleSeatCommands(tx, [
        { state: stale, messages: [reserve('late')] },
        { state: bystander!, messages: [] },
      ]),
    );
    expect(isFenceLost(await attempt.catch((error: unknown) => error))).toBe(true);
    expect(await liveKeys()).toEqual([]);
  });

  test('an event is changed, cancelled and refunded once', async () => {
    const { ctx, event, reserve } = await prepare();
    const batch: NamedCommand[] = [
      reserve('only'),
      { id: 'change', command: { kind: 'change-event', changes: { title: 'Another', seatsTotal: 5 } } },
      { id: 'end', command: { kind: 'cancel-event' } },
    ];
    const [, , ended] = await deliver(ctx, event.id, batch);
    const [reserved, again] = await deliver(ctx, event.id, [batch[0]!, batch[2]!]);
    expect(reserved).toMatchObject({
      replayed: true,
      balance: 10,
      seat: { status: 'cancelled', refunded: 2 },
    });
    const withoutEpoch = (reply: SeatReply | undefined) =>
      reply !== undefined && 'event' in reply ? { ...reply.event, epoch: 0 } : null;
    expect(withoutEpoch(again)).toEqual(withoutEpoch(ended));
    await expectSeatAccountsRight(store.db);
  });
});

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
    for (const [id, event] of events) expect(event).toEqual(await rowOf(ctx, 'events', { id }));
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
      return { kind: 'reserve-seat', agentId: agent.id, agentHandle: agent.handle, key: `key ${key}` };
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
