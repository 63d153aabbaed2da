/**
 * A command that is delivered twice, e.g. because a worker died between its commit and its reply, has no
 * further effect.
 */
import { expect, test } from 'bun:test';
import { withTransaction } from '#domain/context.ts';
import type { EventRow } from '#domain/events/event-rows.ts';
import { isFenceLost } from '#db/errors.ts';
import { handleSeatCommands } from '#domain/events/handle-seat-commands.ts';
import type { SeatCommand, SeatReply } from '#domain/events/seat-commands.ts';
import { createCrowd } from '#test/harness/crowd.ts';
import { createTestCtx, type TestCtx } from '#test/harness/ctx.ts';
import { claimTestEvents, createTestEvent } from '#test/harness/events.ts';
import { expectSeatAccountsRight } from '#test/harness/seat-accounts.ts';
import { forEachStore } from '#test/harness/stores.ts';

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
      command: { kind: 'reserve-seat', agentId: agent!.id, agentHandle: agent!.handle, key },
    });
    const cancel = (key: string | null): NamedCommand => ({
      id: 'cancel',
      command: { kind: 'cancel-seat', agentId: agent!.id, key },
    });
    const liveKeys = async () => {
      const { seats } = store.db.tables;
      const rows = await store.db.query.select().from(seats);
      return rows
        .filter((seat) => seat.eventId === event.id && seat.status === 'reserved')
        .map((seat) => seat.idempotencyKey);
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
    const takeOver = () => withTransaction(ctx, (tx) => claimTestEvents(tx, [event.id, other.id]));
    const earlier = await takeOver();
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
