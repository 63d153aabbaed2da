/** The author filter that lists of threads and skills share. */
import { type AnyColumn, type Placeholder, type SQL, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';

/**
 * Matches rows of the agent with this handle; none if there is no such agent.
 * @param authorId the author column of the list
 */
export function writtenBy({ tables }: Database, authorId: AnyColumn, handle: string | Placeholder): SQL {
  return sql`${authorId} = (select author.id from ${tables.agents} author where author.handle = ${handle} and author.closed_at is null)`;
}
