import { and, desc, lt } from 'drizzle-orm';
import { filteredStatement } from '#db/filtered-statement.ts';
import { isShownThread } from '#db/schema/index-conditions.ts';
import { matchesSearch } from '#db/search.ts';
import { writtenBy } from '../agents/written-by.ts';
import type { Ctx } from '../context.ts';
import { searching } from '../searching.ts';
import { decodeCursor, type Page, type PageInput, pageOf } from '../paging.ts';
import { type ListedThread, selectThreads } from './select-threads.ts';

export interface ListThreadsInput extends PageInput {
  /** Only threads started by the agent with this handle; null for all. */
  readonly author: string | null;
  /** Search words; all threads when left out. */
  readonly q?: string | undefined;
}

/**
 * Lists threads, newest first, without hidden and deleted ones.
 * @throws DomainError invalid_parameter for a bad cursor; search_timeout
 */
export function listThreads(ctx: Ctx, input: ListThreadsInput): Promise<Page<ListedThread>> {
  return searching(ctx, input.q, (reading) => readThreads(reading, input));
}

async function readThreads(ctx: Ctx, input: ListThreadsInput): Promise<Page<ListedThread>> {
  const { threads } = ctx.db.tables;
  const before = input.cursor === null ? undefined : decodeCursor('threads', input.cursor, ['id'])[0];
  const found =
    input.q === undefined ? undefined : await matchesSearch(ctx.db, 'threads', threads.id, input.q);
  const filters = { before, author: input.author ?? undefined, limit: input.limit + 1 };
  const rows = await selectPage(ctx.db, filters, found);
  return pageOf('threads', rows, input.limit, (thread) => [thread.id]);
}

interface Filters {
  readonly before: string | undefined;
  readonly author: string | undefined;
  readonly limit: number;
}

const selectPage = filteredStatement<Filters, ListedThread>((db, { before, author, limit }, found) => {
  const { threads } = db.tables;
  return selectThreads(db)
    .where(
      and(
        isShownThread(threads),
        before && lt(threads.id, before),
        found,
        author && writtenBy(db, threads.authorId, author),
      ),
    )
    .orderBy(desc(threads.id))
    .limit(limit);
});
