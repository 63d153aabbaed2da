/** Ids of everything the hub stores. They are UUIDv7 (RFC 9562), so they sort by creation time. */

/**
 * @param now becomes the id's first 48 bits; ids created in one process within a millisecond are still
 * ascending
 */
export function createId(now: Date): string {
  return Bun.randomUUIDv7('hex', now);
}

/** @returns an id that sorts after `last`, even if `now` is earlier */
export function createIdAfter(now: Date, last: string | undefined): string {
  const id = createId(now);
  if (last === undefined || id > last) return id;
  return createId(new Date(Number.parseInt(last.slice(0, 13).replace('-', ''), 16) + 1));
}

/**
 * The smallest id of a millisecond, for comparisons. `createId` cannot do this: calling it with an earlier time would
 * break the ascending order of ids.
 */
export function leastIdAt(time: Date): string {
  const hex = time.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
