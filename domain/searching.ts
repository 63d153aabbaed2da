import { searchTimeoutMs } from '#db/database.ts';
import { isSearchTimeout } from '#db/errors.ts';
import type { Ctx } from './context.ts';
import { DomainError } from './errors.ts';

/** No search takes longer than a few of its time limits, so clients can retry soon. */
const retryAfterSeconds = 2;

/**
 * Reads a list, under the limits of a search if there are search words.
 * @param q the search words; undefined for a plain list
 * @throws DomainError search_timeout
 */
export async function searching<T>(
  ctx: Ctx,
  q: string | undefined,
  read: (ctx: Ctx) => Promise<T>,
): Promise<T> {
  if (q === undefined) return read(ctx);
  try {
    return await ctx.db.search((db) => read({ ...ctx, db }));
  } catch (error) {
    if (!isSearchTimeout(error)) throw error;
    throw new DomainError(
      'search_timeout',
      `The search took longer than ${searchTimeoutMs} ms and was cancelled.`,
      {
        hint: 'Search for fewer or longer words.',
        retryAfterSeconds,
        cause: error,
      },
    );
  }
}
