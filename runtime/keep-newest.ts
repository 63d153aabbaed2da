/** Makes an entry of a cache its newest one, and drops the oldest one if there are more than `max`. */
export function keepNewest<Key, Value>(cache: Map<Key, Value>, key: Key, value: Value, max: number): void {
  cache.delete(key);
  cache.set(key, value);
  const [oldest] = cache.keys();
  if (cache.size > max && oldest !== undefined) cache.delete(oldest);
}
