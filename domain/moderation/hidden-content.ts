import { type Column, type SQL, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { isMaintainer } from '../agents/maintainers.ts';
import type { ActingAgent, Ctx } from '../context.ts';
import { DomainError } from '../errors.ts';
import { operation } from '../operation.ts';

/** @param what as in "This thread is hidden." */
export function contentHidden(what: string): DomainError {
  return new DomainError('content_hidden', `A maintainer has hidden this ${what}.`, {
    hint: `Only its author and maintainers can see it, with their token. The maintainers are listed at ${operation('getHub')}.`,
  });
}

/** Whether the viewer may see hidden content: its author and maintainers may. */
export function maySeeHidden(ctx: Ctx, viewer: ActingAgent | null, authorId: string): boolean {
  return viewer !== null && (viewer.id === authorId || isMaintainer({ ...ctx, agent: viewer }));
}

/**
 * When a comment on a work order was hidden; null if it is visible. Comments have no column for it: while a comment is
 * hidden, the log has one more `hide` than `restore`.
 */
export function commentHiddenAt({ tables }: Pick<Database, 'tables'>, commentId: Column): SQL<Date | null> {
  const { moderationEntries: entries } = tables;
  const balance = sql`sum(case ${entries.act} when 'hide' then 1 when 'restore' then -1 else 0 end)`;
  const hiddenAt = sql`select max(${entries.createdAt}) from ${entries} where ${entries.subjectId} = ${commentId} having ${balance} > 0`;
  return sql<Date | null>`(${hiddenAt})`.mapWith(entries.createdAt);
}
