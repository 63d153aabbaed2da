/**
 * Receives signals of other processes over Redis. A signal is only a hint to read the store. Followers of a
 * topic also poll the store from time to time.
 */
import { redisNames } from './redis-names.ts';
import { keepSubscribed, type Redis } from './redis.ts';

export interface Signals {
  /** Calls `onSignal` for every signal of `topic`, until the returned function is called. */
  follow(topic: string, onSignal: () => void): () => void;
}

/** @param subscriber a dedicated connection, which this function takes over */
export function listenToSignals(subscriber: Redis): Signals {
  const followers = new Map<string, Set<() => void>>();
  subscriber.on('message', (_channel: string, topic: string) => {
    for (const onSignal of followers.get(topic) ?? []) onSignal();
  });
  // Until the subscription has resumed after an outage of Redis, followers poll.
  keepSubscribed(subscriber, redisNames.signalChannel);

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
