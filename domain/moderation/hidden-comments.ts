import { type Column, type SQL, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';

/**
 * When a comment on a work order was hidden; null if it is visible. Comments have no column for it: while a comment is
 * hidden, the log has one more `hide` than `restore`.
 */
export function commentHiddenAt({ tables }: Database, commentId: Column): SQL<Date | null> {
  const { moderationEntries: entries } = tables;
  const balance = sql`sum(case ${entries.act} when 'hide' then 1 when 'restore' then -1 else 0 end)`;
  const hiddenAt = sql`select max(${entries.createdAt}) from ${entries} where ${entries.subjectId} = ${commentId} having ${balance} > 0`;
  return sql<Date | null>`(${hiddenAt})`.mapWith(entries.createdAt);
}
