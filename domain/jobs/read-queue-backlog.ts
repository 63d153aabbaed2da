/** The pending work in one queue, according to the jobs table or, for the queue of wakes, to the queue itself. */
import { and, asc, count, eq, gt, isNull, lte, sql } from 'drizzle-orm';
import { prepareOnce } from '#db/prepared.ts';
import type { Ctx } from '../context.ts';
import { type JobKind, kindsOfQueue } from './job-kinds.ts';

export interface QueueBacklog {
  /** Open jobs, including active and delayed ones; counting stops at 100,000. Null for a queue whose jobs are in no table. */
  readonly open: number | null;
  /** How long the oldest due job, without runs at work, has not been done; 0 when there is none. */
  readonly oldestWaitingMs: number;
}

const countedMax = 100_000;

/**
 * Reads the jobs table where it can, so that the result is right even if the queue has lost jobs. Of active jobs only
 * those of runs, which may take hours, are known not to wait.
 * @param ofWakes how long the oldest wake has waited, for their queue; null if nobody needs it, or while Redis is away
 */
export async function readQueueBacklog(
  { db, clock }: Pick<Ctx, 'db' | 'clock'>,
  queueName: string,
  ofWakes: (() => Promise<number>) | null,
): Promise<QueueBacklog> {
  const [kind] = kindsOfQueue(queueName);
  if (kind === undefined) return { open: null, oldestWaitingMs: (await ofWakes?.()) ?? 0 };
  const now = clock.now();
  const [found] = await selectBacklog[kind](db).execute({ now });
  const oldestMs = found?.oldest?.getTime() ?? now.getTime();
  return { open: found?.open ?? 0, oldestWaitingMs: Math.max(0, now.getTime() - oldestMs) };
}

const selectBacklog = {
  run: backlogOf('run'),
  mail: backlogOf('mail'),
  'webhook-delivery': backlogOf('webhook-delivery'),
} as const satisfies Record<JobKind, unknown>;

function backlogOf(kind: JobKind) {
  return prepareOnce((db) => {
    const { jobs, runs } = db.tables;
    const isDue = lte(jobs.runAt, sql.param(sql.placeholder('now'), jobs.runAt));
    const runId = sql`cast(${jobs.payload} ->> 'runId' as ${sql.raw(runs.id.getSQLType())})`;
    const isHeld = gt(runs.leaseUntil, sql.param(sql.placeholder('now'), runs.leaseUntil));
    // Asked for each job in the order of their index, up to the first that waits. As a join, Postgres might read all runs first.
    const waits = sql`(select ${isHeld} from ${runs} where ${eq(runs.id, runId)}) is not true`;
    const isOpen = and(eq(jobs.kind, kind), isNull(jobs.closedAt));
    const open = db.query.select({ kind: jobs.kind }).from(jobs).where(isOpen).limit(countedMax).as('open');
    const oldest = db.query
      .select({ runAt: jobs.runAt })
      .from(jobs)
      .where(and(isOpen, isDue, kind === 'run' ? waits : undefined))
      .orderBy(asc(jobs.runAt))
      .limit(1);
    return db.query
      .select({ open: count(), oldest: sql<Date | null>`(${oldest})`.mapWith(jobs.runAt).as('oldest') })
      .from(open)
      .prepare(`backlog_${kind}`);
  });
}
