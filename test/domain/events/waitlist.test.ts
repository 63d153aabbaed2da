/** The waitlist of a sold-out event: its order, when it is open, and who is notified of a free seat. */
import { expect, test } from 'bun:test';
import { closedHandle } from '#domain/agents/retired-handles.ts';
import { createId } from '#runtime/create-id.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { createTestClock } from '#test/harness/clock.ts';
import { createCrowd } from '#test/harness/crowd.ts';
import { createTestCtx, useTestCtx } from '#test/harness/ctx.ts';
import { createTestEvent, hourMs } from '#test/harness/events.ts';
import { changeRows, rowsOf } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { deliveriesOf, register } from '#test/harness/webhooks.ts';
import {
  cancel,
  carryOut,
  codeOf,
  end,
  eventOf,
  handle,
  refusalOf,
  reserve,
  wait,
  waitsOf,
} from './run-commands.ts';
import { type EventRow } from '#domain/events/event-rows.ts';
import { type EventChanges } from '#domain/events/commands/change-event.ts';
import { type SeatCommand } from '#domain/events/seat-commands.ts';

forEachStore((store) => {
  const ctx = useTestCtx(store);

  /** An event with one seat, and its holder. */
  async function soldOut() {
    const event = await createTestEvent(ctx, { seatsTotal: 1 });
    const holder = await createTestAgent(ctx, { tokens: 10 });
    await carryOut(ctx, event.id, reserve(holder));
    return { event, holder };
  }
  const agents = (count: number): Promise<TestAgent[]> => createCrowd(ctx, count, 10);

  test('agents wait in the order in which they joined, each once, and are counted', async () => {
    const { event } = await soldOut();
    const [one, two, three] = await agents(3);
    expect(await carryOut(ctx, event.id, wait(one!))).toEqual({ position: 1 });
    expect(await handle(ctx, event.id, wait(two!), wait(three!), wait(two!))).toEqual([
      { position: 2 },
      { position: 3 },
      { position: 2 },
    ]);
    expect(await carryOut(ctx, event.id, wait(one!))).toEqual({ position: 1 });
    expect(await waitsOf(ctx, event.id)).toEqual(
      [one!, two!, three!].map(({ id }) => ({ agentId: id, joinedAt: ctx.clock.now(), toldAt: null })),
    );
    expect((await eventOf(ctx, event.id)).waitlistCount).toBe(3);
  });

  test('nobody can join while seats are free, with a seat, after the start, or when the event is cancelled', async () => {
    const { event, holder } = await soldOut();
    const [agent] = await agents(1);
    expect(await codeOf(ctx, event.id, wait(holder))).toBe('already_reserved');
    const open = await createTestEvent(ctx, { seatsTotal: 2 });
    expect(await codeOf(ctx, open.id, wait(agent!))).toBe('seats_available');
    const late = createTestCtx(store.db, createTestClock(event.startsAt));
    expect(await codeOf(late, event.id, wait(agent!))).toBe('event_started');
    await carryOut(ctx, event.id, end);
    expect(await codeOf(ctx, event.id, wait(agent!))).toBe('event_cancelled');
  });

  test('an agent that gets a seat leaves the waitlist, and the others move up; other waitlists stay', async () => {
    const [{ event, holder }, { event: other }] = [await soldOut(), await soldOut()];
    const [one, two] = await agents(2);
    for (const { id } of [event, other]) await handle(ctx, id, wait(one!), wait(two!));
    await carryOut(ctx, event.id, cancel(holder));
    await carryOut(ctx, event.id, reserve(one!, 'mine'));
    expect(await carryOut(ctx, event.id, wait(two!))).toEqual({ position: 1 });
    expect((await waitsOf(ctx, event.id)).map(({ agentId }) => agentId)).toEqual([two!.id]);
    expect((await eventOf(ctx, event.id)).waitlistCount).toBe(1);
    expect((await eventOf(ctx, other.id)).waitlistCount).toBe(2);
    expect(await waitsOf(ctx, other.id)).toHaveLength(2);
  });

  test('a released seat notifies the next agent in turn, and the first again after the last', async () => {
    const { event, holder } = await soldOut();
    const [one, two] = await agents(2);
    const [first, second] = [
      await register(ctx, one!, 'http://127.0.0.1:1/'),
      await register(ctx, two!, 'http://127.0.0.1:1/'),
    ];
    await handle(ctx, event.id, wait(one!), wait(two!));
    const toldOf = async (id: string) => (await deliveriesOf(ctx, id)).map(({ kind, data }) => [kind, data]);
    const notified = async () => [await toldOf(first.webhook.id), await toldOf(second.webhook.id)];
    const notice = ['waitlist.open', { event_id: event.id }];
    await carryOut(ctx, event.id, cancel(holder));
    expect(await notified()).toEqual([[notice], []]);
    expect((await waitsOf(ctx, event.id)).map(({ toldAt }) => toldAt)).toEqual([ctx.clock.now(), null]);
    await carryOut(ctx, event.id, reserve(holder, 'again'));
    await carryOut(ctx, event.id, cancel(holder));
    expect(await notified()).toEqual([[notice], [notice]]);
    // Whoever reserves and cancels again and again floods nobody.
    ctx.clock.advance(hourMs - 1);
    await carryOut(ctx, event.id, reserve(holder, 'at once'));
    await carryOut(ctx, event.id, cancel(holder));
    expect(await notified()).toEqual([[notice], [notice]]);
    // The first has missed its seat.
    ctx.clock.advance(1);
    await carryOut(ctx, event.id, reserve(holder, 'a third time'));
    await carryOut(ctx, event.id, cancel(holder));
    expect(await notified()).toEqual([[notice, notice], [notice]]);
    ctx.clock.advance(1);
    await carryOut(ctx, event.id, reserve(holder, 'a fourth time'));
    await carryOut(ctx, event.id, cancel(holder));
    expect(await notified()).toEqual([
      [notice, notice],
      [notice, notice],
    ]);
  });

  test('when the agent that was notified is withdrawn, the next is, while a seat is free', async () => {
    const { event, holder } = await soldOut();
    const [one, two, three] = await agents(3);
    const withdraw = ({ id }: TestAgent) => carryOut(ctx, event.id, { kind: 'withdraw-agent', agentId: id });
    const waiting = async () =>
      (await waitsOf(ctx, event.id)).map(({ agentId, toldAt }) => [agentId, toldAt !== null]);
    await handle(ctx, event.id, wait(one!), wait(two!), wait(three!));
    await carryOut(ctx, event.id, cancel(holder));
    for (let time = 0; time < 2; time += 1) await withdraw(one!);
    expect(await waiting()).toEqual([
      [two!.id, true],
      [three!.id, false],
    ]);
    await carryOut(ctx, event.id, reserve(holder, 'again'));
    await withdraw(two!);
    expect(await waiting()).toEqual([[three!.id, false]]);
  });

  test('of an event that is cancelled or has started, nobody is notified, until it is moved ahead', async () => {
    for (const isCancelled of [true, false]) {
      const { event, holder } = await soldOut();
      const [one, two] = await agents(2);
      await handle(ctx, event.id, wait(one!), wait(two!), cancel(holder));
      if (isCancelled) await carryOut(ctx, event.id, end);
      const at = isCancelled ? ctx : createTestCtx(store.db, createTestClock(event.startsAt));
      await carryOut(at, event.id, { kind: 'withdraw-agent', agentId: one!.id });
      if (!isCancelled) await carryOut(at, event.id, { kind: 'change-event', changes: { seatsTotal: 2 } });
      expect(await waitsOf(ctx, event.id)).toMatchObject([{ agentId: two!.id, toldAt: null }]);
      if (isCancelled) continue;
      const [startsAt, endsAt] = [event.startsAt, event.endsAt].map(
        (time) => new Date(time.getTime() + 86_400_000),
      );
      await carryOut(at, event.id, {
        kind: 'change-event',
        changes: { startsAt: startsAt!, endsAt: endsAt! },
      });
      expect(await waitsOf(ctx, event.id)).toMatchObject([{ agentId: two!.id, toldAt: at.clock.now() }]);
    }
  });

  test('nobody gets a seat at office hours whose host has closed its account, until they have another', async () => {
    const event = await createTestEvent(ctx, {
      kind: 'office_hours',
      seatsTotal: 1,
      hostHandle: closedHandle,
    });
    const [holder, one, two] = await agents(3);
    const host = { agentId: holder!.id, handle: holder!.handle };
    expect(await codeOf(ctx, event.id, reserve(one!))).toBe('conflict');
    await carryOut(ctx, event.id, { kind: 'change-event', changes: { host } });
    await handle(ctx, event.id, reserve(two!), wait(one!));
    await changeRows(ctx, 'events', { id: event.id }, { hostHandle: closedHandle });
    await carryOut(ctx, event.id, cancel(two!));
    expect(await codeOf(ctx, event.id, wait(two!))).toBe('conflict');
    expect(await waitsOf(ctx, event.id)).toMatchObject([{ agentId: one!.id, toldAt: null }]);
    await carryOut(ctx, event.id, { kind: 'change-event', changes: { host } });
    expect(await waitsOf(ctx, event.id)).toMatchObject([{ agentId: one!.id, toldAt: ctx.clock.now() }]);
    // The agents of a workshop come for more than its host.
    const workshop = await createTestEvent(ctx, { hostHandle: closedHandle });
    await carryOut(ctx, workshop.id, reserve(one!));
  });

  test('an agent that joins, gets a seat and cancels it in one batch is not on the waitlist and not notified', async () => {
    const { event, holder } = await soldOut();
    const [one, two] = await agents(2);
    await handle(ctx, event.id, wait(one!), cancel(holder), reserve(one!), cancel(one!), reserve(two!));
    expect(await waitsOf(ctx, event.id)).toEqual([]);
    expect(await eventOf(ctx, event.id)).toMatchObject({ waitlistCount: 0, seatsTaken: 1 });
  });

  test('a waitlist holds a thousand agents, and not one more', async () => {
    const { event } = await soldOut();
    const crowd = await agents(1_001);
    const waits = crowd.slice(0, 999).map(({ id: agentId }) => ({
      id: createId(ctx.clock.now()),
      eventId: event.id,
      agentId,
      joinedAt: ctx.clock.now(),
    }));
    await store.db.transaction(async ({ query, tables: { waitlistEntries, events } }) => {
      await query.insert(waitlistEntries).values(waits);
      await query.update(events).set({ waitlistCount: 999 });
    });
    expect(await carryOut(ctx, event.id, wait(crowd[999]!))).toEqual({ position: 1_000 });
    expect(await refusalOf(ctx, event.id, wait(crowd[1_000]!))).toMatchObject({
      code: 'limit_reached',
      message: 'The waitlist is full: 1000 agents are waiting.',
    });
  });
});

/** Changing an event: the stored row, the rules of every event, and the waitlist. */
const dayMs = 24 * hourMs;

const change = (changes: EventChanges): SeatCommand & { kind: 'change-event' } => ({
  kind: 'change-event',
  changes,
});

forEachStore((store) => {
  const ctx = useTestCtx(store);
  const inMs = (ms: number) => new Date(ctx.clock.now().getTime() + ms);

  test('every field can be changed, and the others stay', async () => {
    const event = await createTestEvent(ctx);
    const host = await createTestAgent(ctx);
    const changes: EventChanges[] = [
      { title: 'Another title' },
      { description: 'Another description' },
      { presenter: 'Another presenter' },
      { host: { agentId: host.id, handle: host.handle } },
      { endsAt: inMs(100 * hourMs) },
      { startsAt: inMs(80 * hourMs) },
      { seatsTotal: 20 },
      { tokenPrice: 7 },
    ];
    let now: EventRow = event;
    for (const one of changes) {
      const { host: newHost, ...plain } = one;
      const hosted = newHost && { hostAgentId: newHost.agentId, hostHandle: newHost.handle };
      const inCalendars = ['title', 'description', 'presenter', 'startsAt', 'endsAt'].some(
        (name) => name in one,
      );
      const calendarSequence = now.calendarSequence + (inCalendars ? 1 : 0);
      const { event: changed } = await carryOut(ctx, event.id, change(one));
      const counted = { calendarSequence, changedAt: ctx.clock.now(), epoch: now.epoch + 1 };
      expect(changed).toEqual({ ...now, ...plain, ...hosted, ...counted });
      now = changed;
    }
    const nothing = change({ title: now.title, startsAt: now.startsAt });
    const { event: same } = await carryOut(ctx, event.id, nothing);
    expect(same.calendarSequence).toBe(now.calendarSequence);
  });

  test('an event ends after it starts, lasts at most 31 days, and can only be moved to the future', async () => {
    const event = await createTestEvent(ctx);
    const move = (startsInMs: number, lastsMs: number) =>
      change({ startsAt: inMs(startsInMs), endsAt: inMs(startsInMs + lastsMs) });
    for (const [startsInMs, lastsMs, message] of [
      [hourMs, 0, '`ends_at` must be after'],
      [hourMs, -1, '`ends_at` must be after'],
      [hourMs, 31 * dayMs + 1, 'at most 31 days'],
      [0, hourMs, '`starts_at` must be in the future'],
    ] as const) {
      const refusal = await refusalOf(ctx, event.id, move(startsInMs, lastsMs));
      expect([refusal.code, refusal.message]).toEqual(['invalid_body', expect.stringContaining(message)]);
    }
    await carryOut(ctx, event.id, move(1, 31 * dayMs));
    await carryOut(ctx, event.id, move(1, 1));
    // A started event can be renamed, since that does not move it.
    const later = createTestCtx(store.db, createTestClock(inMs(hourMs)));
    expect((await carryOut(later, event.id, change({ title: 'Late' }))).event.title).toBe('Late');
  });

  test('the holders of seats are notified when an event is moved, and of no other change', async () => {
    const event = await createTestEvent(ctx);
    const [holder, former] = [
      await createTestAgent(ctx, { tokens: 2 }),
      await createTestAgent(ctx, { tokens: 2 }),
    ];
    await handle(ctx, event.id, reserve(holder), reserve(former), cancel(former));
    await carryOut(ctx, event.id, change({ title: 'Another', startsAt: event.startsAt, tokenPrice: 1 }));
    const moved = { startsAt: inMs(2 * hourMs), endsAt: inMs(3 * hourMs) };
    await carryOut(ctx, event.id, change(moved));
    const told = await rowsOf(ctx, 'notifications', { kind: 'event.moved' });
    expect(told.map(({ agentId, data }) => ({ agentId, data }))).toEqual([
      {
        agentId: holder.id,
        data: {
          event_id: event.id,
          starts_at: moved.startsAt.toISOString(),
          ends_at: moved.endsAt.toISOString(),
        },
      },
    ]);
  });

  test('office hours have exactly one seat', async () => {
    const slot = await createTestEvent(ctx, { kind: 'office_hours', seatsTotal: 1 });
    expect(await codeOf(ctx, slot.id, change({ seatsTotal: 2 }))).toBe('invalid_body');
    await carryOut(ctx, slot.id, change({ seatsTotal: 1, tokenPrice: 1 }));
  });

  test('seats already taken cannot be removed, and the refusal reports their number', async () => {
    const event = await createTestEvent(ctx);
    for (let taken = 0; taken < 2; taken += 1) {
      await carryOut(ctx, event.id, reserve(await createTestAgent(ctx, { tokens: 2 })));
    }
    const refusal = await refusalOf(ctx, event.id, change({ seatsTotal: 1 }));
    expect([refusal.code, refusal.extras.fields]).toEqual(['seats_taken', { seats_taken: 2 }]);
    expect(refusal.message).toBe('`seats_total` cannot be less than the 2 seats already taken.');
    expect((await carryOut(ctx, event.id, change({ seatsTotal: 2 }))).event.seatsTaken).toBe(2);
  });

  test('a cancelled event cannot be changed', async () => {
    const event = await createTestEvent(ctx);
    await carryOut(ctx, event.id, end);
    expect(await codeOf(ctx, event.id, change({ title: 'Still on' }))).toBe('event_cancelled');
  });

  test('notifies as many waiting agents as there are new seats, in order, and none when seats are removed', async () => {
    const event = await createTestEvent(ctx, { seatsTotal: 2 });
    for (let taken = 0; taken < 2; taken += 1) {
      await carryOut(ctx, event.id, reserve(await createTestAgent(ctx, { tokens: 2 })));
    }
    for (let waiting = 0; waiting < 4; waiting += 1)
      await carryOut(ctx, event.id, wait(await createTestAgent(ctx)));
    const notified = async () => (await waitsOf(ctx, event.id)).map(({ toldAt }) => toldAt !== null);
    await carryOut(ctx, event.id, change({ title: 'The same seats' }));
    expect(await notified()).toEqual([false, false, false, false]);
    await carryOut(ctx, event.id, change({ seatsTotal: 4 }));
    expect(await notified()).toEqual([true, true, false, false]);
    await carryOut(ctx, event.id, change({ seatsTotal: 3 }));
    expect(await notified()).toEqual([true, true, false, false]);
    await carryOut(ctx, event.id, change({ seatsTotal: 4 }));
    expect(await notified()).toEqual([true, true, true, false]);
  });
});
