/** Deletes old notifications, read or not. The sweeper calls this. */
import { asc, inArray, lt } from 'drizzle-orm';
import { type Ctx, withTransaction } from '../context.ts';
import { notificationsPrunedAtOnceMax } from './notification-limits.ts';

const dayMs = 24 * 60 * 60 * 1_000;

export interface PruneNotificationsInput {
  /** 0 keeps them forever. */
  readonly retentionDays: number;
}

/** @returns the number of rows deleted, at most 1,000 per call */
export async function pruneNotifications(
  ctx: Ctx,
  { retentionDays }: PruneNotificationsInput,
): Promise<number> {
  if (retentionDays === 0) return 0;
  return withTransaction(ctx, async ({ db, clock }) => {
    const { notifications } = db.tables;
    const old = db.query
      .select({ id: notifications.id })
      .from(notifications)
      .where(lt(notifications.createdAt, new Date(clock.now().getTime() - retentionDays * dayMs)))
      .orderBy(asc(notifications.createdAt))
      .limit(notificationsPrunedAtOnceMax);
    const removed = await db.query
      .delete(notifications)
      .where(inArray(notifications.id, old))
      .returning({ id: notifications.id });
    return removed.length;
  });
}
