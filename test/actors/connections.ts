/** The Redis of an actor runtime in tests. */
import { connectProducer, connectSubscriber, isReadyWithin, type Redis } from '#runtime/redis/redis.ts';
import { createLogger } from '#runtime/tracing/log.ts';
import { startTestRedis } from '#test/harness/redis.ts';
import { useStarted } from '#test/harness/use-started.ts';

export interface Connections {
  /** Of the server. */
  readonly url: string;
  readonly redis: Redis;
  readonly subscriber: Redis;
  readonly close: () => Promise<void>;
}

const logger = createLogger({ name: 'test', level: 'silent' });

/** A server for the tests of a file or a group, with the connections of a process. */
export function useConnections(): Connections {
  return useStarted(
    async () => {
      const server = await startTestRedis();
      const redis = connectProducer(server.url, logger);
      const subscriber = connectSubscriber(server.url, logger);
      await isReadyWithin(redis, 5_000);
      const close = async (): Promise<void> => {
        redis.disconnect();
        subscriber.disconnect();
        await server.stop();
      };
      return { url: server.url, redis, subscriber, close };
    },
    (connections) => connections.close(),
  );
}

/** Keeps what is published on the channels, until it is disposed of. */
export async function listenTo(url: string, ...channels: readonly string[]) {
  const heard: (readonly [channel: string, text: string])[] = [];
  const listener = connectSubscriber(url, logger);
  listener.on('message', (channel: string, text: string) => void heard.push([channel, text]));
  await listener.subscribe(...channels);
  return { heard, [Symbol.dispose]: () => listener.disconnect() };
}
