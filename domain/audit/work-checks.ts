/** Checks that pending work has a job that a worker will take. */
import { and, eq, isNull, sql, type SQL } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Database } from '#db/database.ts';
import { isOpenRun, isPendingDelivery } from '#db/schema/index-conditions.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import { type JobKind, subjectOfKind } from '../jobs/job-kinds.ts';
import type { AuditCheck, Drift } from './find-drift.ts';

function forgotten(name: string, promise: string, promised: (tables: Tables) => Promised): AuditCheck {
  return { name, promise, find: (db, limit) => findMissingJobs(db, promised(db.tables), limit) };
}

export const workChecks: readonly AuditCheck[] = [
  forgotten('run_work', 'Every open run in push mode has an open job.', ({ runs }) => ({
    kind: 'run',
    table: runs,
    id: sql`${runs.id}`,
    status: sql`${runs.status}`,
    // In pull mode the agent does the work.
    isOpen: sql`${isOpenRun(runs)} and ${runs.mode} = 'push'`,
  })),
  forgotten('mail_work', 'Every email still to be sent has an open job.', ({ mails }) => ({
    kind: 'mail',
    table: mails,
    id: sql`${mails.id}`,
    status: sql`${mails.status}`,
    isOpen: isNull(mails.endedAt),
  })),
  forgotten('webhook_work', 'Every pending delivery has an open job.', ({ webhookDeliveries }) => ({
    kind: 'webhook-delivery',
    table: webhookDeliveries,
    id: sql`${webhookDeliveries.id}`,
    status: sql`${webhookDeliveries.status}`,
    isOpen: isPendingDelivery(webhookDeliveries),
  })),
];

interface Promised {
  readonly kind: JobKind;
  readonly table: PgTable;
  readonly id: SQL;
  readonly status: SQL;
  /** Selects the rows with unfinished work. */
  readonly isOpen: SQL;
}

/**
 * Finds unfinished work without an open job, which no worker would ever pick up.
 * Collects the open jobs first and joins them. A subquery per row would scan all open jobs each time.
 */
async function findMissingJobs(
  db: Database,
  { kind, table, id, status, isOpen }: Promised,
  limit: number,
): Promise<Drift[]> {
  const { jobs } = db.tables;
  // Cast both sides of the join: SQLite indexes the collected rows only when the types match.
  const subject = sql`cast(${jobs.payload} ->> ${sql.raw(`'${subjectOfKind[kind]}'`)} as text)`;
  const promised = db.query
    .select({ id: sql<string>`${subject}`.as('promised_id') })
    .from(jobs)
    .where(and(eq(jobs.kind, kind), isNull(jobs.closedAt)))
    .groupBy(sql`promised_id`)
    .as('promised');
  return db.query
    .select({
      subject: sql`${id}`.mapWith(String),
      kept: sql`${status}`.mapWith(String),
      found: sql<string>`'no job'`,
    })
    .from(table)
    .leftJoin(promised, eq(sql`cast(${id} as text)`, promised.id))
    .where(and(isOpen, isNull(promised.id)))
    .limit(limit);
}
