/** How much work of some kinds waits, and for how long. The jobs' table says so, whatever the queue has forgotten. */
import { and, asc, count, inArray, isNull, lte } from 'drizzle-orm';
import type { Ctx } from '../context.ts';
import type { JobKind } from './job-kinds.ts';

export interface ReadBacklogInput {
  readonly kinds: readonly JobKind[];
  /** Jobs that workers have in hand, as the queue tells it; the table does not know. At most 2,000 of them count. */
  readonly activeIds: ReadonlySet<string>;
}

export interface Backlog {
  /** Open jobs, those in hand and those of a later time among them; stops counting at 100,000. */
  readonly open: number;
  /** Since when the oldest job that is due and in nobody's hand has been due, in milliseconds; 0 when there is none. */
  readonly oldestWaitingMs: number;
}

const countedMax = 100_000;
export const activeIdsMax = 2_000;

export async function readBacklog(
  { db, clock }: Pick<Ctx, 'db' | 'clock'>,
  { kinds, activeIds }: ReadBacklogInput,
): Promise<Backlog> {
  const { jobs } = db.tables;
  const now = clock.now();
  const isOpen = and(inArray(jobs.kind, [...kinds]), isNull(jobs.closedAt));
  const open = db.query.select({ kind: jobs.kind }).from(jobs).where(isOpen).limit(countedMax).as('open');
  const [counted] = await db.query.select({ jobs: count() }).from(open);
  // One more than can be in hand: the first of them that is not is the oldest that waits.
  const due = await db.query
    .select({ id: jobs.id, runAt: jobs.runAt })
    .from(jobs)
    .where(and(isOpen, lte(jobs.runAt, now)))
    .orderBy(asc(jobs.runAt))
    .limit(Math.min(activeIds.size, activeIdsMax) + 1);
  const oldest = due.find(({ id }) => !activeIds.has(id));
  return {
    open: counted?.jobs ?? 0,
    oldestWaitingMs: oldest === undefined ? 0 : Math.max(0, now.getTime() - oldest.runAt.getTime()),
  };
}
