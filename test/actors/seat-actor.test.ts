/** Commands to the seat actor: timeouts, causes, and replies. */
import { beforeAll, expect, test } from 'bun:test';
import { replyTo } from '#actors/messages.ts';
import { seatActor } from '#actors/seat-actor.ts';
import type { EventRow } from '#domain/events/event-rows.ts';
import type { SeatCommand, SeatReply } from '#domain/events/seat-commands.ts';
import { redisNames } from '#runtime/redis/redis-names.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { useActorClient } from './connections.ts';

const event: EventRow = {
  id: 'e',
  kind: 'workshop',
  title: 't',
  description: 'd',
  presenter: 'p',
  hostAgentId: 'a',
  hostHandle: 'ada',
  startsAt: new Date(1),
  endsAt: new Date(2),
  seatsTotal: 4,
  seatsTaken: 1,
  waitlistCount: 2,
  tokenPrice: 3,
  status: 'scheduled',
  calendarSequence: 1,
  epoch: 5,
  createdAt: new Date(3),
  changedAt: null,
};
const { redis, mailboxes, client } = useActorClient();
const epoch = 1;

beforeAll(() => waitUntil(async () => (await redis.pubsub('CHANNELS', 'hub:replies:*')).length === 1));

const commands: [SeatCommand, number, SeatReply][] = [
  [{ kind: 'join-waitlist', agentId: 'a' }, 5_000, { position: 7 }],
  [{ kind: 'cancel-event' }, 30_000, { event }],
];
test.each(commands.map(([command, timeoutMs, reply]) => [command.kind, timeoutMs, command, reply] as const))(
  'a %s command times out after %d ms, carries its request id, and returns its reply',
  async (kind, timeoutMs, command, reply) => {
    const cause = { requestId: 'request-0123456789' };
    const asked = client.ask(seatActor, kind, command, { cause });
    await waitUntil(async () => (await redis.exists(redisNames.mailbox(`seat/${kind}`))) === 1);
    const [entry] = await redis.xrange(redisNames.mailbox(`seat/${kind}`), '-', '+');
    expect(JSON.parse(entry![1][1]!)).toMatchObject({ timeoutMs });
    const messages = (await mailboxes.take(`seat/${kind}`, epoch, []))?.messages ?? [];
    expect(messages).toEqual([expect.objectContaining({ command, cause })]);
    await mailboxes.take(`seat/${kind}`, epoch, [replyTo(messages[0]!, { reply })]);
    expect(await asked).toEqual(reply);
  },
);

test('a reply that does not match its schema is an error', async () => {
  const asked = client
    .ask(seatActor, 'odd', { kind: 'join-waitlist', agentId: 'a' })
    .catch((error: unknown) => error);
  await waitUntil(async () => (await redis.exists(redisNames.mailbox('seat/odd'))) === 1);
  const [message] = (await mailboxes.take('seat/odd', epoch, []))?.messages ?? [];
  await mailboxes.take('seat/odd', epoch, [replyTo(message!, { reply: { position: 'first' } })]);
  expect(await asked).toBeInstanceOf(TypeError);
});
