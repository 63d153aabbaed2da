/** Wakes that skip the queue: `append` sends them to one of the registered processes. */
import type { Logger } from '#runtime/tracing/log.ts';
import { redisNames } from '#runtime/redis/redis-names.ts';
import { connectSubscriber, keepSubscribed } from '#runtime/redis/redis.ts';
import type { ActorAddress } from './actor-type.ts';
import { wakeTimeoutMs } from './limits.ts';

export interface DirectWakes {
  readonly channel: string;
  /** Stops receiving wakes; they go to the queue again. Never rejects. */
  close(): Promise<void>;
}

export function listenToWakes(
  redisUrl: string,
  logger: Logger,
  onWake: (address: ActorAddress) => void,
): DirectWakes {
  const subscriber = connectSubscriber(redisUrl, logger);
  const channel = redisNames.wakes + Bun.randomUUIDv7();
  subscriber.on('message', (_channel: string, addresses: string) => {
    for (const address of addresses.split(' ')) onWake(address as ActorAddress);
  });
  keepSubscribed(subscriber, channel);
  return {
    channel,
    close: async () => {
      const left = subscriber.status === 'ready' ? subscriber.unsubscribe(channel) : Promise.resolve();
      await Promise.race([left, Bun.sleep(wakeTimeoutMs)]).catch(() => undefined);
      subscriber.disconnect();
    },
  };
}
