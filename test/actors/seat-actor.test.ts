/** Commands to the seat actor: timeouts, causes, and replies. */
import { beforeAll, expect, test } from 'bun:test';
import { replyTo } from '#actors/messages.ts';
import { seatActor } from '#actors/seat-actor.ts';
import type { SeatCommand } from '#domain/events/seat-commands.ts';
import { redisNames } from '#runtime/redis/redis-names.ts';
import { seatReplies } from '#test/domain/events/seat-samples.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { useActorClient } from './connections.ts';

const { redis, mailboxes, client } = useActorClient();
const epoch = 1;

beforeAll(() => waitUntil(async () => (await redis.pubsub('CHANNELS', 'hub:replies:*')).length === 1));

const commands: [SeatCommand, number][] = [
  [{ kind: 'join-waitlist', agentId: 'a' }, 5_000],
  [{ kind: 'cancel-event' }, 30_000],
];
test.each(commands.map(([command, timeoutMs]) => [command.kind, timeoutMs, command] as const))(
  'a %s command times out after %d ms, carries its request id, and returns its reply',
  async (kind, timeoutMs, command) => {
    const [, reply] = seatReplies.find(([of]) => of === kind)!;
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
