/** Ids of everything the hub stores: UUIDv7 (RFC 9562), so that they sort by the time they were made. */

/** @param now becomes the id's first 48 bits; ids made in one process within a millisecond still rise */
export function createId(now: Date): string {
  return Bun.randomUUIDv7('hex', now);
}
