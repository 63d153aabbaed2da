/** Tells the owner of a suite that its graders ran out of work for others. */
import { and, eq, ne } from 'drizzle-orm';
import { isWithin } from '#db/conditions.ts';
import { lockName } from '#db/transaction.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import type { TransactionCtx } from '../context.ts';
import type { Notice, NotificationData } from '../notifications/notification-kinds.ts';
import { suiteRefOf } from './find-suite.ts';

const kind = 'suite.exhausted';
/** For each suite. */
const noticeEveryMs = 24 * 60 * 60 * 1_000;

/**
 * @param exhausted the replies whose graders ran out of work, time or memory
 * @returns the notice, unless the suite is the runner's own or its owner was told within a day
 */
export async function noticesOfExhausted(
  { db, clock }: TransactionCtx,
  run: Pick<RunRow, 'agentId' | 'suiteId' | 'suiteVersion' | 'runSize'>,
  exhausted: number,
): Promise<readonly Notice[]> {
  if (exhausted === 0 || run.suiteId === null) return [];
  const { agents, notifications, suites } = db.tables;
  const [suite] = await db.query
    .select({ ownerId: suites.ownerId, name: suites.name, ownerHandle: agents.handle })
    .from(suites)
    .innerJoin(agents, eq(agents.id, suites.ownerId))
    .where(and(eq(suites.id, run.suiteId), ne(suites.ownerId, run.agentId)));
  if (suite === undefined) return [];
  // Two runs may end at the same time, and each must see the other.
  await lockName(db, `${kind}:${run.suiteId}`);
  const now = clock.now();
  const told = await db.query
    .select({ data: notifications.data })
    .from(notifications)
    .where(
      and(
        eq(notifications.agentId, suite.ownerId),
        eq(notifications.kind, kind),
        isWithin(notifications.createdAt, new Date(now.getTime() - noticeEveryMs), now),
      ),
    );
  const ref = suiteRefOf(suite);
  // The column stores the data of the kind.
  if (told.some(({ data }) => (data as unknown as NotificationData[typeof kind]).suite === ref)) return [];
  const data = { suite: ref, version: run.suiteVersion, ungraded: exhausted, replies: run.runSize };
  return [{ agentId: suite.ownerId, kind, data }];
}
