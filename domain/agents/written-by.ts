/** The condition that lists of what agents have written share: only what the agent of a handle has. */
import { type AnyColumn, type SQL, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';

/**
 * Nobody's rows when no agent has the handle: a filter that fits nothing is no fault.
 * @param authorId the column of the list
 */
export function writtenBy({ tables }: Database, authorId: AnyColumn, handle: string): SQL {
  return sql`${authorId} = (select author.id from ${tables.agents} author where author.handle = ${handle})`;
}
