/** Changing an event: the stored row, the rules of every event, and the waitlist. */
import { expect, test } from 'bun:test';
import type { EventRow } from '#domain/events/event-rows.ts';
import type { EventChanges } from '#domain/events/commands/change-event.ts';
import type { SeatCommand } from '#domain/events/seat-commands.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestCtx, useTestCtx } from '#test/harness/ctx.ts';
import { createTestEvent, hourMs } from '#test/harness/events.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { carryOut, codeOf, end, refusalOf, reserve, wait, waitsOf } from './run-commands.ts';

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
      const changedAt = ctx.clock.now();
      expect(changed).toEqual({
        ...now,
        ...plain,
        ...hosted,
        calendarSequence,
        changedAt,
        epoch: now.epoch + 1,
      });
      now = changed;
    }
    const { event: same } = await carryOut(
      ctx,
      event.id,
      change({ title: now.title, startsAt: now.startsAt }),
    );
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
    const later = createTestCtx(store.db);
    later.clock.set(inMs(hourMs));
    expect((await carryOut(later, event.id, change({ title: 'Late' }))).event.title).toBe('Late');
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
