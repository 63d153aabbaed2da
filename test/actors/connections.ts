/** The Redis of an actor runtime in tests. */
import { type ActorClient, createActorClient } from '#actors/actor-client.ts';
import { createMailboxes, type Mailboxes } from '#actors/mailbox.ts';
import { connectProducer, connectSubscriber, isReadyWithin, type Redis } from '#runtime/redis/redis.ts';
import { startTestRedis } from '#test/harness/redis.ts';
import { silentLogger } from '#test/harness/silent-logger.ts';
import { standIn, useStarted } from '#test/harness/use-started.ts';

export interface Connections {
  /** Of the server. */
  readonly url: string;
  readonly redis: Redis;
  readonly subscriber: Redis;
  readonly mailboxes: Mailboxes;
}

async function startConnections() {
  const server = await startTestRedis();
  const redis = connectProducer(server.url, silentLogger);
  const subscriber = connectSubscriber(server.url, silentLogger);
  await isReadyWithin(redis, 5_000);
  const close = async (): Promise<void> => {
    redis.disconnect();
    subscriber.disconnect();
    await server.stop();
  };
  return { url: server.url, redis, subscriber, mailboxes: createMailboxes(redis), close };
}

/** A server for the tests of a file or a group, with the connections of a process. */
export function useConnections(): Connections {
  return standInsFor(useStarted(startConnections, ({ close }) => close()));
}

/** The same, with a client of the actors, which is closed first. */
export function useActorClient(): Connections & { readonly client: ActorClient } {
  const started = useStarted(
    async () => {
      const connections = await startConnections();
      const { redis, subscriber } = connections;
      return { ...connections, client: createActorClient(redis, subscriber, silentLogger) };
    },
    async ({ client, close }) => {
      await client.close();
      await close();
    },
  );
  return Object.assign(standInsFor(started), { client: standIn(() => started.client) });
}

/** Each part may be named before it is started. */
function standInsFor(started: Connections): Connections {
  return {
    get url() {
      return started.url;
    },
    redis: standIn(() => started.redis),
    subscriber: standIn(() => started.subscriber),
    mailboxes: standIn(() => started.mailboxes),
  };
}

/** Keeps what is published on the channels, until it is disposed of. */
export async function listenTo(url: string, ...channels: readonly string[]) {
  const heard: (readonly [channel: string, text: string])[] = [];
  const listener = connectSubscriber(url, silentLogger);
  listener.on('message', (channel: string, text: string) => void heard.push([channel, text]));
  await listener.subscribe(...channels);
  return { heard, [Symbol.dispose]: () => listener.disconnect() };
}
