/** What goes to the actor of an event: how long each command may take, and what it goes back to. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type ActorClient, createActorClient } from '#actors/actor-client.ts';
import { askSeatActor } from '#actors/ask-seat-actor.ts';
import { createMailboxes, type Mailboxes } from '#actors/mailbox.ts';
import type { SeatCommand } from '#domain/events/seat-commands.ts';
import { createLogger } from '#runtime/tracing/log.ts';
import { connectProducer, connectSubscriber, isReadyWithin, type Redis } from '#runtime/redis/redis.ts';
import { startTestRedis, type TestRedis } from '#test/harness/redis.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

const logger = createLogger({ name: 'test', level: 'silent' });
let server: TestRedis;
let redis: Redis;
let subscriber: Redis;
let client: ActorClient;
let mailboxes: Mailboxes;

beforeAll(async () => {
  server = await startTestRedis();
  redis = connectProducer(server.url, logger);
  subscriber = connectSubscriber(server.url, logger);
  await isReadyWithin(redis, 5_000);
  client = createActorClient(redis, subscriber, logger);
  mailboxes = createMailboxes(redis);
  await waitUntil(async () => (await redis.pubsub('CHANNELS', 'hub:replies:*')).length === 1);
});
afterAll(async () => {
  await client.close();
  redis.disconnect();
  subscriber.disconnect();
  await server.stop();
});

const commands: [SeatCommand, number][] = [
  [{ kind: 'join-waitlist', agentId: 'a' }, 5_000],
  [{ kind: 'reserve-seat', agentId: 'a', agentHandle: 'ada', key: 'k' }, 5_000],
  // To refund thousands of seats takes its time.
  [{ kind: 'cancel-event' }, 30_000],
];
test.each(commands.map(([command, timeoutMs]) => [command.kind, timeoutMs, command] as const))(
  '%s may take %d ms, and tells which request it comes from',
  async (kind, timeoutMs, command) => {
    const cause = { requestId: 'request-0123456789' };
    const asked = askSeatActor(client, kind, command, cause);
    await waitUntil(async () => (await redis.exists(`hub:mailbox:seat/${kind}`)) === 1);
    const entries = await mailboxes.take(`seat/${kind}`, { entryIds: [], answers: [] });
    expect(entries.map(({ envelope }) => envelope)).toEqual([
      expect.objectContaining({ command, timeoutMs, cause }),
    ]);
    const { id, replyTo } = entries[0]!.envelope!;
    const answer = { reply: { position: 7 } };
    await mailboxes.take(`seat/${kind}`, { entryIds: [], answers: [{ id, replyTo, answer }] });
    expect(await asked).toMatchObject({ position: 7 });
  },
);
