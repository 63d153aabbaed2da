/**
 * Keyset paging: each page ends with a cursor that points to the next one, so rows added meanwhile do not
 * shift pages.
 */
import { desc, lt, type SQL } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { jsonIn } from '#runtime/json-in.ts';
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

/**
 * A page of a list that is ordered by an id.
 * @param read gets the id after which the page starts, and how many rows to read
 * @throws DomainError invalid_parameter for a bad cursor
 */
export async function pageById<Item extends { readonly id: string }>(
  list: ListName,
  { limit, cursor }: PageInput,
  read: (start: string | undefined, count: number) => PromiseLike<readonly Item[]>,
): Promise<Page<Item>> {
  const start = cursor === null ? undefined : decodeCursor(list, cursor, ['id'])[0];
  return pageOf(list, await read(start, limit + 1), limit, ({ id }) => [id]);
}

/** A query that is not ordered yet. */
interface Unordered<Row> {
  orderBy(order: SQL): { limit(count: number): PromiseLike<Row[]> };
}

/**
 * Runs a query for a page of rows, newest first.
 * @param id the column of their ids
 * @param select gets the condition that leaves out the pages before
 * @throws DomainError invalid_parameter for a bad cursor
 */
export function newestFirst<Row extends { readonly id: string }>(
  list: ListName,
  input: PageInput,
  id: PgColumn,
  select: (isOnPage: SQL | undefined) => Unordered<Row>,
): Promise<Page<Row>> {
  return pageById(list, input, (start, count) =>
    select(start === undefined ? undefined : lt(id, start))
      .orderBy(desc(id))
      .limit(count),
  );
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
  const read = cursor.length <= cursorLengthMax ? jsonIn(Buffer.from(cursor, 'base64url').toString()) : null;
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
