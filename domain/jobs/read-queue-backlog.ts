/** The pending work in one queue, according to the jobs table or, for the queue of wakes, to the queue itself. */
import { and, asc, count, eq, gt, inArray, isNull, lte, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/pg-core';
import { prepareOnce } from '#db/prepared.ts';
import type { Ctx } from '../context.ts';
import { type JobKind, kindsOfQueue, queueOfKind } from './job-kinds.ts';

/** What the queue knows and the table does not. */
interface QueueView {
  /** At most `max` ids of jobs that workers are handling. */
  activeIds(max: number): Promise<readonly string[]>;
  /** How long the oldest waiting job has been in the queue; 0 when none waits. */
  oldestWaitingMs(): Promise<number>;
}

export interface QueueBacklog {
  /** Open jobs, including active and delayed ones; counting stops at 100,000. Null for a queue whose jobs are in no table. */
  readonly open: number | null;
  /** How long the oldest due job has waited for a worker; 0 when none waits. */
  readonly oldestWaitingMs: number;
}

const countedMax = 100_000;
const activeIdsMax = 2_000;

/**
 * Reads the jobs table where it can, so that the result is right even if the queue has lost jobs.
 * @param view null while Redis is away: no job then counts as active
 */
export async function readQueueBacklog(
  { db, clock }: Pick<Ctx, 'db' | 'clock'>,
  queueName: string,
  view: QueueView | null,
): Promise<QueueBacklog> {
  const kinds = kindsOfQueue(queueName);
  if (kinds.length === 0) return { open: null, oldestWaitingMs: (await view?.oldestWaitingMs()) ?? 0 };
  const activeIds = new Set(await view?.activeIds(activeIdsMax));
  const { jobs } = db.tables;
  const now = clock.now();
  const isOpen = and(inArray(jobs.kind, [...kinds]), isNull(jobs.closedAt));
  const open = db.query.select({ kind: jobs.kind }).from(jobs).where(isOpen).limit(countedMax).as('open');
  const [counted] = await db.query.select({ jobs: count() }).from(open);
  // Read one more than can be active: the first that is not active is the oldest waiting job.
  const due = await db.query
    .select({ id: jobs.id, runAt: jobs.runAt })
    .from(jobs)
    .where(and(isOpen, lte(jobs.runAt, now)))
    .orderBy(asc(jobs.runAt))
    .limit(activeIds.size + 1);
  const oldest = due.find(({ id }) => !activeIds.has(id));
  return {
    open: counted?.jobs ?? 0,
    oldestWaitingMs: oldest === undefined ? 0 : Math.max(0, now.getTime() - oldest.runAt.getTime()),
  };
}

/**
 * The backlog of each queue whose jobs are in the table, in one statement. Of active jobs only those of runs, which may take
 * hours, are known not to wait.
 */
export async function readBacklogs({
  db,
  clock,
}: Pick<Ctx, 'db' | 'clock'>): Promise<ReadonlyMap<string, QueueBacklog>> {
  const now = clock.now();
  const rows = await selectBacklogs(db).execute({ now });
  return new Map(
    rows.map(({ queue, open, oldest }) => {
      const oldestWaitingMs = oldest === null ? 0 : Math.max(0, now.getTime() - oldest.getTime());
      return [queue, { open, oldestWaitingMs }];
    }),
  );
}

const selectBacklogs = prepareOnce((db) => {
  const { jobs, runs } = db.tables;
  const isDue = lte(jobs.runAt, sql.param(sql.placeholder('now'), jobs.runAt));
  const runId = sql`cast(${jobs.payload} ->> 'runId' as ${sql.raw(runs.id.getSQLType())})`;
  const isHeld = gt(runs.leaseUntil, sql.param(sql.placeholder('now'), runs.leaseUntil));
  // Asked for each job in the order of their index, up to the first that waits. As a join, Postgres might read all runs first.
  const waits = sql`(select ${isHeld} from ${runs} where ${eq(runs.id, runId)}) is not true`;
  const backlogOf = (kind: JobKind) => {
    const isOpen = and(eq(jobs.kind, kind), isNull(jobs.closedAt));
    const open = db.query.select({ kind: jobs.kind }).from(jobs).where(isOpen).limit(countedMax).as('open');
    const oldest = db.query
      .select({ runAt: jobs.runAt })
      .from(jobs)
      .where(and(isOpen, isDue, kind === 'run' ? waits : undefined))
      .orderBy(asc(jobs.runAt))
      .limit(1);
    return db.query
      .select({
        queue: sql<string>`cast(${queueOfKind[kind]} as text)`.as('queue'),
        open: count(),
        oldest: sql<Date | null>`(${oldest})`.mapWith(jobs.runAt).as('oldest'),
      })
      .from(open);
  };
  return unionAll(backlogOf('run'), backlogOf('mail'), backlogOf('webhook-delivery')).prepare(
    'read_backlogs',
  );
});
