/** Reserving and cancelling seats: the stored rows, the tokens, and the refusals. */
import { expect, test } from 'bun:test';
import { listEventSeats } from '#domain/events/list-event-seats.ts';
import { hubRulesOf } from '#domain/hub-rules.ts';
import { encodeCursor } from '#domain/paging.ts';
import { parseSettings } from '#runtime/settings/settings.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestClock } from '#test/harness/clock.ts';
import { createTestCtx, useTestCtx } from '#test/harness/ctx.ts';
import { createTestEvent, hourMs } from '#test/harness/events.ts';
import { faultOf, plansOf } from '#test/harness/query-plans.ts';
import { rowsOf } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { useAgentCtx } from '#test/harness/use-agent-ctx.ts';
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
  seatsOf,
} from './run-commands.ts';
import { allPages } from '../outcomes.ts';

forEachStore((store) => {
  const ctx = useTestCtx(store);
  const { agent } = useAgentCtx(ctx, { tokens: 1_000 });

  /** The agent's ledger entries for one seat. */
  async function entriesAbout(reference: string) {
    const rows = await rowsOf(ctx, 'tokenEntries', { agentId: agent.id, reference });
    const inOrder = rows.toSorted((a, b) => a.sequence - b.sequence);
    return inOrder.map(({ kind, amount, reason }) => [kind, amount, reason]);
  }

  test('a seat is stored with its price, key and calendar token, and is charged once', async () => {
    const event = await createTestEvent(ctx, { tokenPrice: 3 });
    const { seat, balance, replayed } = await carryOut(ctx, event.id, reserve(agent, 'one'));
    expect(seat).toEqual({
      id: expect.any(String),
      eventId: event.id,
      agentId: agent.id,
      agentHandle: agent.handle,
      status: 'reserved',
      idempotencyKey: 'one',
      cancelledBy: null,
      pricePaid: 3,
      refunded: 0,
      reservedAt: ctx.clock.now(),
      cancelledAt: null,
      calendarToken: expect.stringMatching(/^[\w-]{24}$/),
      calendarSequence: 0,
      meetingConfirmBy: null,
      meetingConfirmedAt: null,
      meetingStartsAt: null,
      meetingPlace: null,
    });
    expect(await entriesAbout(seat.id)).toEqual([['spend', -3, 'Event seat']]);
    expect(replayed).toBe(false);
    const again = await carryOut(ctx, event.id, reserve(agent, 'one'));
    expect(again).toEqual({ seat, balance, replayed: true });
    expect(await seatsOf(ctx, event.id)).toEqual([seat]);
    expect((await eventOf(ctx, event.id)).seatsTaken).toBe(1);
  });

  test('a free seat has no ledger entries, neither for the reservation nor for the cancellation', async () => {
    const event = await createTestEvent(ctx, { tokenPrice: 0 });
    const { seat } = await carryOut(ctx, event.id, reserve(agent, 'free'));
    const { refunded } = await carryOut(ctx, event.id, cancel(agent));
    expect([await entriesAbout(seat.id), refunded]).toEqual([[], 0]);
  });

  test('a key belongs to one seat at one event, and an agent has one seat per event', async () => {
    const [event, other] = [await createTestEvent(ctx), await createTestEvent(ctx)];
    await carryOut(ctx, event.id, reserve(agent, 'mine'));
    expect(await codeOf(ctx, other.id, reserve(agent, 'mine'))).toBe('idempotency_key_reused');
    expect(await codeOf(ctx, event.id, reserve(agent, 'second'))).toBe('already_reserved');
    const stranger = await createTestAgent(ctx, { tokens: 5 });
    expect((await carryOut(ctx, other.id, reserve(stranger, 'mine'))).replayed).toBe(false);
  });

  test('sells the last seat and not one more, and only to an agent that can pay', async () => {
    const event = await createTestEvent(ctx, { seatsTotal: 2, tokenPrice: 5 });
    const [rich, exact, poor] = [
      await createTestAgent(ctx, { tokens: 9 }),
      await createTestAgent(ctx, { tokens: 5 }),
      await createTestAgent(ctx, { tokens: 4 }),
    ];
    expect((await carryOut(ctx, event.id, reserve(rich))).balance).toBe(4);
    expect(await codeOf(ctx, event.id, reserve(poor))).toBe('insufficient_tokens');
    expect((await carryOut(ctx, event.id, reserve(exact))).balance).toBe(0);
    const refusal = await refusalOf(ctx, event.id, reserve(poor));
    expect([refusal.code, refusal.message]).toEqual(['sold_out', 'All 2 seats of this event are taken.']);
  });

  test('a seat can be reserved and cancelled until a millisecond before the start, and not at the start', async () => {
    const event = await createTestEvent(ctx);
    const at = (ms: number) =>
      createTestCtx(store.db, createTestClock(new Date(event.startsAt.getTime() + ms)));
    expect(await codeOf(at(0), event.id, reserve(agent, 'late'))).toBe('event_started');
    await carryOut(at(-1), event.id, reserve(agent, 'in time'));
    expect(await refusalOf(at(0), event.id, cancel(agent))).toMatchObject({
      code: 'event_started',
      message: `This event started at ${event.startsAt.toISOString()}.`,
    });
    expect((await carryOut(at(-1), event.id, cancel(agent))).refunded).toBe(0);
  });

  test('a cancellation more than 24 hours before the start is refunded, and at 24 hours it is not', async () => {
    for (const [leftMs, refunded] of [
      [24 * hourMs + 1, 2],
      [24 * hourMs, 0],
    ] as const) {
      const event = await createTestEvent(ctx, { startsAt: new Date(ctx.clock.now().getTime() + leftMs) });
      const { seat, balance } = await carryOut(ctx, event.id, reserve(agent, `${leftMs}`));
      const cancelled = await carryOut(ctx, event.id, cancel(agent, `end ${leftMs}`));
      expect(cancelled).toEqual({
        seat: {
          ...seat,
          status: 'cancelled',
          cancelledBy: `end ${leftMs}`,
          cancelledAt: ctx.clock.now(),
          refunded,
          calendarSequence: 1,
        },
        refunded,
        balance: balance + refunded,
      });
      expect(await entriesAbout(seat.id)).toEqual([
        ['spend', -2, 'Event seat'],
        ...(refunded > 0 ? [['refund', 2, 'Seat cancelled']] : []),
      ]);
      expect((await eventOf(ctx, event.id)).seatsTaken).toBe(0);
      // The same cancellation again has the same reply; another one finds no seat.
      expect(await carryOut(ctx, event.id, cancel(agent, `end ${leftMs}`))).toEqual(cancelled);
      expect(await codeOf(ctx, event.id, cancel(agent))).toBe('seat_not_found');
    }
  });

  test('a cancellation key is per event: at another event it cancels another seat', async () => {
    const [event, other] = [await createTestEvent(ctx), await createTestEvent(ctx)];
    for (const { id } of [event, other]) await carryOut(ctx, id, reserve(agent, `twin ${id}`));
    for (const { id } of [event, other]) {
      expect((await carryOut(ctx, id, cancel(agent, 'twin'))).seat.eventId).toBe(id);
    }
  });

  test('a cancellation key can be used again after a day, for another seat', async () => {
    const ctx = createTestCtx(store.db);
    const agent = await createTestAgent(ctx, { tokens: 10 });
    const event = await createTestEvent(ctx, {
      startsAt: new Date(ctx.clock.now().getTime() + 240 * hourMs),
    });
    const reserveAndCancel = async (key: string) => {
      const { seat } = await carryOut(ctx, event.id, reserve(agent, key));
      const cancelled = await carryOut(ctx, event.id, cancel(agent, 'again'));
      return cancelled.seat.id === seat.id;
    };
    expect(await reserveAndCancel('one')).toBe(true);
    ctx.clock.advance(24 * hourMs - 1);
    expect(await reserveAndCancel('two')).toBe(false);
    ctx.clock.advance(1);
    expect((await carryOut(ctx, event.id, cancel(agent, 'again'))).balance).toBe(10);
    expect(await codeOf(ctx, event.id, cancel(agent, 'another'))).toBe('seat_not_found');
    ctx.clock.advance(24 * hourMs);
    expect(await codeOf(ctx, event.id, cancel(agent, 'again'))).toBe('seat_not_found');
    expect(await reserveAndCancel('three')).toBe(true);
    expect((await seatsOf(ctx, event.id)).map(({ cancelledBy }) => cancelledBy)).toEqual([
      null,
      null,
      'again',
    ]);
  });

  test('an agent reserves at most 100 seats a day, at all events together, and then waits for the next', async () => {
    const ctx = createTestCtx(store.db, createTestClock(new Date('2026-11-18T23:59:30Z')));
    const agent = await createTestAgent(ctx, { tokens: 10 });
    const [event, other] = [await createTestEvent(ctx, { tokenPrice: 0 }), await createTestEvent(ctx)];
    const booked = Array.from({ length: 99 }, (_, at) => [
      reserve(agent, `key ${at}`),
      cancel(agent, `${at}`),
    ]);
    await handle(ctx, event.id, ...booked.flat());
    await carryOut(ctx, other.id, reserve(agent, 'the last'));
    expect((await refusalOf(ctx, event.id, reserve(agent, 'one more'))).extras.retryAfterSeconds).toBe(30);
    expect((await carryOut(ctx, other.id, reserve(agent, 'the last'))).replayed).toBe(true);
    // On a private hub, agents may store as much as they like.
    const unbounded = hubRulesOf(parseSettings({})).storage;
    const atHome = createTestCtx(store.db, ctx.clock, { storage: unbounded });
    await carryOut(atHome, event.id, reserve(agent, 'at home'));
    await carryOut(ctx, event.id, cancel(agent, 'at home'));
    ctx.clock.advance(30_000);
    await carryOut(ctx, event.id, reserve(agent, 'one more'));
  });

  test('cancelling an event refunds every live seat in full, at any time, and once', async () => {
    const event = await createTestEvent(ctx, { startsAt: new Date(ctx.clock.now().getTime() + 1) });
    const [one, other] = [
      await createTestAgent(ctx, { tokens: 10 }),
      await createTestAgent(ctx, { tokens: 10 }),
    ];
    const bystander = await createTestEvent(ctx);
    await handle(ctx, event.id, reserve(one, 'early'), cancel(one), reserve(one, 'kept'), reserve(other));
    await carryOut(ctx, bystander.id, reserve(one, 'elsewhere'));
    const { event: ended } = await carryOut(ctx, event.id, end);
    expect(ended).toMatchObject({ status: 'cancelled', seatsTaken: 0, calendarSequence: 1 });
    const seats = await seatsOf(ctx, event.id);
    expect(seats.map(({ status, refunded, cancelledBy }) => [status, refunded, cancelledBy])).toEqual([
      ['cancelled', 0, expect.any(String)],
      ['cancelled', 2, null],
      ['cancelled', 2, null],
    ]);
    expect((await seatsOf(ctx, bystander.id))[0]!.status).toBe('reserved');
    const { event: again } = await carryOut(ctx, event.id, end);
    expect({ ...again, epoch: 0 }).toEqual({ ...ended, epoch: 0 });
    expect(await codeOf(ctx, event.id, reserve(agent, 'too late'))).toBe('event_cancelled');
  });

  test('notifies the holder of a seat that others cancelled, not of its own cancellation', async () => {
    const [event, left, doomed] = [
      await createTestEvent(ctx),
      await createTestEvent(ctx),
      await createTestEvent(ctx),
    ];
    const holder = await createTestAgent(ctx, { tokens: 50 });
    const { webhook } = await register(ctx, holder, 'http://127.0.0.1:1/');
    await carryOut(ctx, event.id, reserve(holder, 'own'));
    const { seat } = await carryOut(ctx, left.id, reserve(holder, 'left'));
    const { seat: other } = await carryOut(ctx, doomed.id, reserve(holder, 'doomed'));
    await carryOut(ctx, event.id, cancel(holder));
    await carryOut(ctx, left.id, { kind: 'withdraw-agent', agentId: holder.id });
    await carryOut(ctx, doomed.id, end);
    const told = (await deliveriesOf(ctx, webhook.id)).map(({ kind, data }) => [kind, data]);
    expect(told).toEqual([
      ['seat.cancelled', { seat_id: seat.id, event_id: left.id, refunded: 2, reason: 'seat_cancelled' }],
      ['seat.cancelled', { seat_id: other.id, event_id: doomed.id, refunded: 2, reason: 'event_cancelled' }],
    ]);
  });

  test('the list of seats for the host reads only those of the event, in order, page by page', async () => {
    const event = await createTestEvent(ctx);
    const second = await createTestAgent(ctx, { tokens: 50 });
    const booked = [
      await carryOut(ctx, event.id, reserve(agent, 'listed')),
      await carryOut(ctx, event.id, reserve(second, 'listed')),
    ];
    const host = { ...ctx, agent: { ...agent, id: event.hostAgentId } };
    const list = (cursor: string | null, limit: number) =>
      listEventSeats(host, { eventId: event.id, overdue: false, cursor, limit });
    const pages = await allPages((cursor) => list(cursor, 1));
    expect(pages).toMatchObject(booked.map(({ seat }) => [{ id: seat.id }]));
    for (const cursor of [null, encodeCursor('event-seats', [event.id])]) {
      const plans = await plansOf(store, () => list(cursor, 10));
      const plan = plans.at(-1) ?? '';
      expect([faultOf(plan), plan]).toEqual([null, expect.stringContaining('seats_by_event')]);
    }
  });
});
