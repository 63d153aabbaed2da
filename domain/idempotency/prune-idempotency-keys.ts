import { lt, lte, sql } from 'drizzle-orm';
import { type Ctx, withTransaction } from '../context.ts';
import { keptMs } from './claim-key.ts';

/** Rows deleted per transaction. */
export const pruneBatch = 1000;

/**
 * Deletes the oldest expired keys. The sweeper calls this.
 * @returns the number of rows deleted; `pruneBatch` or more means there may be others
 */
export function pruneIdempotencyKeys(ctx: Ctx): Promise<number> {
  return withTransaction(ctx, async ({ db }) => {
    const { idempotencyKeys } = db.tables;
    const oldest = await db.query
      .select({ createdAt: idempotencyKeys.createdAt })
      .from(idempotencyKeys)
      .where(lt(idempotencyKeys.createdAt, new Date(ctx.clock.now().getTime() - keptMs)))
      .orderBy(idempotencyKeys.createdAt)
      .limit(pruneBatch);
    const newest = oldest.at(-1);
    if (newest === undefined) return 0;
    // A key that is taken over meanwhile gets a new `created_at` and so stays.
    const removed = await db.query
      .delete(idempotencyKeys)
      .where(lte(idempotencyKeys.createdAt, newest.createdAt))
      .returning({ one: sql`1` });
    return removed.length;
  });
}
