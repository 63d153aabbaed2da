/** Creates events as a maintainer's request does, and runs seat actors in this process. */
import { startActorWorker } from '#actors/actor-worker.ts';
import { seatActor } from '#actors/seat-actor.ts';
import type { Ctx, TransactionCtx } from '#domain/context.ts';
import { claimEvents, findClaimedEvents } from '#domain/events/load-event-state.ts';
import type { EventRow } from '#domain/events/event-rows.ts';
import { createId } from '#runtime/create-id.ts';
import { connectProducer, isReadyWithin } from '#runtime/redis/redis.ts';
import { createTestAgent } from './agents.ts';
import { silentLogger as logger } from './silent-logger.ts';

export const hourMs = 60 * 60 * 1_000;

/** By default a workshop in 3 days with 10 seats at 2 tokens. */
export async function createTestEvent(ctx: Ctx, options: Partial<EventRow> = {}): Promise<EventRow> {
  const now = ctx.clock.now();
  const startsAt = options.startsAt ?? new Date(now.getTime() + 72 * hourMs);
  const host = options.hostAgentId === undefined ? await createTestAgent(ctx) : null;
  const event: EventRow = {
    id: createId(now),
    kind: 'workshop',
    title: 'Planning under uncertainty',
    description: 'Bring a plan, and leave with a better one.',
    presenter: 'Ada',
    hostAgentId: host?.id ?? '',
    hostHandle: host?.handle ?? 'host',
    startsAt,
    endsAt: new Date(startsAt.getTime() + hourMs),
    seatsTotal: 10,
    seatsTaken: 0,
    waitlistCount: 0,
    tokenPrice: 2,
    status: 'scheduled',
    calendarSequence: 0,
    epoch: 0,
    createdAt: now,
    changedAt: null,
    ...options,
  };
  await ctx.db.transaction((tx) => tx.query.insert(tx.tables.events).values(event));
  return event;
}

export type TestSeats = Awaited<ReturnType<typeof startTestSeats>>;

/** Runs seat actors as the `seats` pool does, with the clock of `ctx`. */
export async function startTestSeats(ctx: Ctx, redisUrl: string) {
  const redis = connectProducer(redisUrl, logger);
  await isReadyWithin(redis, 5_000);
  const worker = startActorWorker({ ctx, types: [seatActor], concurrency: 20, redisUrl, redis, logger });
  return {
    stop: async () => {
      await worker.drain();
      redis.disconnect();
    },
  };
}

/** Claims events as new activations of their actors do. @returns the rows, in the order of the ids */
export async function claimTestEvents(
  ctx: TransactionCtx,
  eventIds: readonly string[],
): Promise<readonly EventRow[]> {
  const epochs = await claimEvents(ctx, eventIds);
  const rows = await findClaimedEvents(ctx, epochs);
  return eventIds.flatMap((id) => rows.get(id) ?? []);
}
