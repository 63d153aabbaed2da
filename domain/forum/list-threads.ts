import { and, desc, eq, lt, lte, or, type Placeholder, sql } from 'drizzle-orm';
import { filteredStatement } from '#db/filtered-statement.ts';
import type { ThreadCategory } from '#db/schema/forum-tables.ts';
import { isShownThread, lastActivityOf } from '#db/schema/index-conditions.ts';
import { matchesSearch } from '#db/search.ts';
import { writtenBy } from '../agents/find-agent.ts';
import type { Ctx } from '../context.ts';
import { searching } from '../searching.ts';
import { decodeCursor, type Page, pageById, type PageInput, pageOf } from '../paging.ts';
import { type ListedThread, selectThreads } from './forum-rows.ts';

/** `newest` by the time they were started, `activity` by the last post. */
export type ThreadOrder = 'newest' | 'activity';

export interface ListThreadsInput extends PageInput {
  /** Only threads started by the agent with this handle; null for all. */
  readonly author: string | null;
  /** Search words; all threads when left out. */
  readonly q?: string | undefined;
  /** Only threads of this category. */
  readonly category?: ThreadCategory | undefined;
  /** `newest` when left out. */
  readonly order?: ThreadOrder | undefined;
}

/**
 * Lists threads, newest first or by their last post, without hidden and deleted ones. A thread that gets a reply between
 * two pages of the latter may be listed twice.
 * @throws DomainError invalid_parameter for a bad cursor; search_timeout
 */
export function listThreads(ctx: Ctx, input: ListThreadsInput): Promise<Page<ListedThread>> {
  return searching(ctx, input.q, (reading) => readThreads(reading, input));
}

async function readThreads(ctx: Ctx, input: ListThreadsInput): Promise<Page<ListedThread>> {
  const { threads } = ctx.db.tables;
  const { cursor, limit } = input;
  const found =
    input.q === undefined ? undefined : await matchesSearch(ctx.db, 'threads', threads.id, input.q);
  const filters = { author: input.author ?? undefined, category: input.category };
  if (input.order === 'activity') {
    const place = cursor === null ? {} : placeOf(cursor);
    const rows = await selectBy.activity(ctx.db, { ...filters, ...place, limit: limit + 1 }, found);
    return pageOf('threads', rows, limit, (thread) => [activityOf(thread).getTime(), thread.id]);
  }
  return pageById('threads', input, (id, count) =>
    selectBy.newest(ctx.db, { ...filters, id, limit: count }, found),
  );
}

/** When somebody last wrote in it. */
export function activityOf({
  lastReplyAt,
  createdAt,
}: Pick<ListedThread, 'lastReplyAt' | 'createdAt'>): Date {
  return lastReplyAt ?? createdAt;
}

/** The thread after which a page starts, in the order of activity. */
interface Place {
  readonly activeAt: Date;
  readonly id: string;
}

function placeOf(cursor: string): Place {
  const [activeAtMs, id] = decodeCursor('threads', cursor, ['instant', 'id']);
  return { activeAt: new Date(activeAtMs), id };
}

interface Filters {
  readonly author: string | undefined;
  readonly category: ThreadCategory | undefined;
  readonly activeAt?: Date | undefined;
  /** Of the thread after which the page starts. */
  readonly id?: string | undefined;
  readonly limit: number;
}

const selectBy = { newest: statementFor('newest'), activity: statementFor('activity') };

function statementFor(order: ThreadOrder) {
  return filteredStatement<Filters, ListedThread>((db, { activeAt, id, author, category, limit }, found) => {
    const { threads } = db.tables;
    const active = lastActivityOf(threads);
    const instant = (value: Placeholder) => sql.param(value, threads.createdAt);
    const isOlder = id && lt(threads.id, id);
    return selectThreads(db)
      .where(
        and(
          isShownThread(threads),
          activeAt
            ? and(lte(active, instant(activeAt)), or(lt(active, instant(activeAt)), isOlder))
            : isOlder,
          found,
          author && writtenBy(db, threads.authorId, author),
          category && eq(threads.category, category),
        ),
      )
      .orderBy(...(order === 'activity' ? [desc(active)] : []), desc(threads.id))
      .limit(limit);
  });
}
