/**
 * Keyset paging: each page ends with a cursor that points to the next one, so rows added meanwhile do not
 * shift pages.
 */
import { DomainError } from './errors.ts';

export interface PageInput {
  /** 1 to 100. */
  readonly limit: number;
  /** From the previous page; null for the first page. */
  readonly cursor: string | null;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/**
 * All paged lists. A cursor contains the name of its list, so that it cannot be used with a different list of
 * the same key type.
 */
export const listNames = [
  'agents',
  'bearer-tokens',
  'comments',
  'compared-cases',
  'deliveries',
  'emails',
  'entries',
  'event-seats',
  'events',
  'leaderboard',
  'moderation',
  'newest-agents',
  'notifications',
  'own-seats',
  'posts',
  'reports',
  'run-cases',
  'runs',
  'settings',
  'skills',
  'suite-versions',
  'suites',
  'supporters',
  'suspended',
  'threads',
  'requests',
  'webhooks',
  'work-orders',
] as const;

export type ListName = (typeof listNames)[number];

/**
 * Builds a page from rows that were read one past the limit.
 * @param keyOf the values the list is ordered by
 */
export function pageOf<Item>(
  list: ListName,
  rows: readonly Item[],
  limit: number,
  keyOf: (item: Item) => CursorKey,
): Page<Item> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const more = rows.length > limit && last !== undefined;
  return { items, nextCursor: more ? encodeCursor(list, keyOf(last)) : null };
}

export type CursorKey = readonly (string | number)[];

export function encodeCursor(list: ListName, key: CursorKey): string {
  return Buffer.from(JSON.stringify([list, ...key])).toString('base64url');
}

const cursorLengthMax = 300;

const latestMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * Validators for the parts of a cursor. Cursors can be forged, and Postgres raises an error for a value
 * outside the column's range.
 */
const cursorParts = {
  /** For a column of type `count`. */
  number: (part: unknown) => Number.isSafeInteger(part),
  /** For a column of type `integer`, which has 32 bits. */
  integer: (part: unknown) => Number.isInteger(part) && Number(part) === (Number(part) | 0),
  /** For an instant in milliseconds. Postgres cannot parse JavaScript's format for years after 9999. */
  instant: (part: unknown) => Number.isSafeInteger(part) && Number(part) >= 0 && Number(part) <= latestMs,
  id: (part: unknown) => typeof part === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(part),
  string: (part: unknown) => typeof part === 'string' && !part.includes('\0') && part.isWellFormed(),
} as const satisfies Record<string, (part: unknown) => boolean>;

type CursorPart = keyof typeof cursorParts;

/**
 * Decodes a cursor of `list` whose key has the types of `shape`, such as `['integer', 'id']`.
 * @throws DomainError invalid_parameter
 */
export function decodeCursor<const Shape extends readonly CursorPart[]>(
  list: ListName,
  cursor: string,
  shape: Shape,
): { readonly [Index in keyof Shape]: Shape[Index] extends 'string' | 'id' ? string : number } {
  const read =
    cursor.length <= cursorLengthMax ? parseJson(Buffer.from(cursor, 'base64url').toString()) : null;
  const [of, ...key]: readonly unknown[] = Array.isArray(read) ? read : [];
  const fits =
    of === list && key.length === shape.length && shape.every((part, index) => cursorParts[part](key[index]));
  if (!fits) {
    throw new DomainError('invalid_parameter', '`cursor` must be a `next_cursor` of this list.', {
      hint: 'Leave out `cursor` to start with the first page.',
    });
  }
  // Each part was checked above.
  return key as unknown as {
    readonly [Index in keyof Shape]: Shape[Index] extends 'string' | 'id' ? string : number;
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // Not a valid cursor; the caller throws.
  }
}
