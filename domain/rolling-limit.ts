/** How many rows somebody may add within a window of time that ends now. */
import { and, desc, type SQL } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { isWithin } from '#db/conditions.ts';
import type { Ctx } from './context.ts';

interface RollingLimit {
  readonly table: PgTable;
  readonly createdAt: PgColumn;
  /** Which rows count. */
  readonly isCounted: SQL | undefined;
  readonly max: number;
  readonly windowMs: number;
}

/**
 * A row that is exactly as old as the window no longer counts.
 * @returns the seconds until another row is allowed, at least 1; null if one is now
 */
export async function secondsToWait(
  { db, clock }: Ctx,
  { table, createdAt, isCounted, max, windowMs }: RollingLimit,
): Promise<number | null> {
  const now = clock.now();
  const since = new Date(now.getTime() - windowMs);
  const recent = await db.query
    .select({ createdAt })
    .from(table)
    .where(and(isCounted, isWithin(createdAt, since, now)))
    .orderBy(desc(createdAt))
    .limit(max);
  const oldest = recent[max - 1];
  if (oldest === undefined) return null;
  // The column holds instants.
  const leftMs = (oldest.createdAt as Date).getTime() - since.getTime();
  return Math.max(1, Math.ceil(leftMs / 1_000));
}
