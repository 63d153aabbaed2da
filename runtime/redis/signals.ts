/**
 * Listens to what other processes signal over Redis. A signal is a hint to look into the store, never the news itself:
 * whoever follows a topic also looks by itself from time to time.
 */
import { redisNames } from './redis-names.ts';
import type { Redis } from './redis.ts';

export interface Signals {
  /** Calls `onSignal` whenever `topic` is signalled, until the returned function is called. */
  follow(topic: string, onSignal: () => void): () => void;
}

/** @param subscriber a connection of its own, which it takes over */
export function listenToSignals(subscriber: Redis): Signals {
  const followers = new Map<string, Set<() => void>>();
  subscriber.on('message', (_channel: string, topic: string) => {
    for (const onSignal of followers.get(topic) ?? []) onSignal();
  });
  // ioredis subscribes again by itself after an absence of Redis; until then, followers look by themselves.
  subscriber.subscribe(redisNames.signalChannel).catch(() => undefined);

  return {
    follow: (topic, onSignal) => {
      const group = followers.get(topic) ?? new Set();
      followers.set(topic, group);
      group.add(onSignal);
      return () => {
        group.delete(onSignal);
        if (group.size === 0) followers.delete(topic);
      };
    },
  };
}
