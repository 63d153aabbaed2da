/** A batch costs a fixed number of statements, for 256 commands as for one, and few round trips. */
import { expect, test } from 'bun:test';
import { withTransaction } from '#domain/context.ts';
import { findClaimedEvents } from '#domain/events/load-event-state.ts';
import { handleSeatCommands } from '#domain/events/handle-seat-commands.ts';
import { type SeatCommand } from '#domain/events/seat-commands.ts';
import { type TestAgent } from '#test/harness/agents.ts';
import { type WatchedStatements, watchStatements } from '#test/harness/count-statements.ts';
import { createCrowd } from '#test/harness/crowd.ts';
import { createTestCtx, type TestCtx } from '#test/harness/ctx.ts';
import { claimTestEvents, createTestEvent } from '#test/harness/events.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { acceptRedemptions } from '#domain/runs/redeem.ts';
import { plainOrder } from '#test/harness/plain-order.ts';
import { cancel, end, reserve, wait } from './run-commands.ts';

const batchMax = 256;

forEachStore((store) => {
  /** Spreads the commands over the events, and counts the statements that loading and handling them took. */
  async function costOf(
    ctx: TestCtx,
    eventIds: readonly string[],
    commands: readonly SeatCommand[],
    count: keyof WatchedStatements = 'statements',
  ): Promise<number> {
    const claimed = await withTransaction(ctx, (tx) => claimTestEvents(tx, eventIds));
    const epochs = new Map(claimed.map(({ id, epoch }) => [id, epoch]));
    const watched = await withTransaction(ctx, async (tx) => {
      const statements = watchStatements(tx.db);
      const events = await findClaimedEvents(tx, epochs);
      const results = await handleSeatCommands(
        tx,
        eventIds.map((eventId, index) => ({
          state: events.get(eventId)!,
          messages: commands
            .filter((_, position) => position % eventIds.length === index)
            .map((command, position) => ({ id: `${index}.${position}`, command })),
        })),
      );
      for (const { replies } of results) for (const reply of replies) if (reply instanceof Error) throw reply;
      return statements;
    });
    return watched[count];
  }

  const book = (agent: TestAgent) => reserve(agent);
  const leave = (agent: TestAgent) => cancel(agent, 'c');

  async function prepare(eventCount: number) {
    const ctx = createTestCtx(store.db);
    const seatsTotal = 2 * batchMax;
    const ids: string[] = [];
    for (let made = 0; made < eventCount; made += 1) {
      ids.push((await createTestEvent(ctx, { seatsTotal, tokenPrice: 2 })).id);
    }
    return { ctx, ids, crowd: await createCrowd(ctx, batchMax + 1, 5) };
  }

  test.each([
    ['one event', 1],
    ['16 events', 16],
  ])('reservations and cancellations at %s', async (_, eventCount) => {
    const { ctx, ids, crowd } = await prepare(eventCount);
    const [one, ...many] = crowd;
    const costs = {
      reserve: [await costOf(ctx, ids, [book(one!)]), await costOf(ctx, ids, many.map(book))],
      cancel: [await costOf(ctx, ids, [leave(one!)]), await costOf(ctx, ids, many.map(leave))],
    };
    // Claim; seats, accounts, lots, absences, keys, reservations; event, accounts, lots, entries, seats.
    expect(costs.reserve).toEqual([12, 12]);
    // Adds two reads of seats and one of spends. The reads of absences, keys and reservations are not needed.
    expect(costs.cancel).toEqual([11, 11]);
  });

  test.if(store.dialect === 'postgres')('reservations take three round trips', async () => {
    const { ctx, ids, crowd } = await prepare(1);
    // The event, the other rows, the writes with COMMIT.
    expect(await costOf(ctx, ids, crowd.map(book), 'roundTrips')).toBe(3);
  });

  test('a sold-out event with a waitlist, and its cancellation', async () => {
    const { ctx, ids, crowd } = await prepare(1);
    const [first, second, ...others] = crowd;
    const one = (await createTestEvent(ctx, { seatsTotal: 1 })).id;
    const two = (await createTestEvent(ctx, { seatsTotal: 1 })).id;
    await costOf(ctx, [one], [reserve(first!)]);
    await costOf(ctx, [two], [reserve(second!)]);
    expect(await costOf(ctx, [one], [wait(second!)])).toBe(await costOf(ctx, [two], others.map(wait)));
    await costOf(ctx, ids, others.slice(1).map(book));
    const three = (await createTestEvent(ctx, { seatsTotal: 1 })).id;
    await costOf(ctx, [three], [reserve(others[0]!)]);
    expect(await costOf(ctx, ids, [end])).toBe(await costOf(ctx, [three], [end]));
  });

  test('bookings of office hours that are mailed to their hosts', async () => {
    const ctx = createTestCtx(store.db, undefined, { mailsHosts: true });
    const crowd = await createCrowd(ctx, 33, 5);
    const ids: string[] = [];
    for (let made = 0; made < 33; made += 1) {
      ids.push((await createTestEvent(ctx, { kind: 'office_hours', seatsTotal: 1 })).id);
    }
    const [single, ...others] = ids;
    const few = await costOf(ctx, [single!], [reserve(crowd[0]!)]);
    expect(await costOf(ctx, others, crowd.slice(1).map(book))).toBe(few);
    // Adds the write of booking notices, the read of closed accounts, the emails and their jobs, and four statements that
    // notify the hosts.
    expect(few).toBe(20);
  });
});

/** A batch of redemptions costs a fixed number of statements, and waits for the store twice. */
forEachStore((store) => {
  async function costOf(agents: number, count: keyof WatchedStatements): Promise<number> {
    const ctx = createTestCtx(store.db);
    const crowd = await createCrowd(ctx, agents, 5);
    const requests = crowd.map(({ id }) => ({ agentId: id, order: plainOrder('http://127.0.0.1:9/answer') }));
    const watched = await withTransaction(ctx, async (tx) => {
      const statements = watchStatements(tx.db);
      for (const result of await acceptRedemptions(tx, requests)) if (result instanceof Error) throw result;
      return statements;
    });
    return watched[count];
  }

  test('a hundred redemptions take as many statements as one', async () => {
    // Accounts, lots, open runs, failed runs, absences, stored bytes; accounts, lots, entries, runs, jobs.
    expect([await costOf(1, 'statements'), await costOf(100, 'statements')]).toEqual([11, 11]);
  });

  test.if(store.dialect === 'postgres')('redemptions wait for the store twice', async () => {
    // To read, and to write with COMMIT.
    expect(await costOf(100, 'roundTrips')).toBe(2);
  });
});
