/** Ids of everything the hub stores. They are UUIDv7 (RFC 9562), so they sort by creation time. */

/**
 * @param now becomes the id's first 48 bits; ids created in one process within a millisecond are still
 * ascending
 */
export function createId(now: Date): string {
  return Bun.randomUUIDv7('hex', now);
}
