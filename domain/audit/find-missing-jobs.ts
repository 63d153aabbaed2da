/** Finds unfinished work without an open job, which no worker would ever pick up. */
import { and, eq, isNull, type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Database } from '#db/database.ts';
import { type JobKind, subjectOfKind } from '../jobs/job-kinds.ts';
import type { Drift } from './find-drift.ts';

export interface Promised {
  readonly kind: JobKind;
  readonly table: PgTable;
  readonly id: SQL;
  readonly status: SQL;
  /** Selects the rows with unfinished work. */
  readonly isOpen: SQL;
}

/** Collects the open jobs first and joins them. A subquery per row would scan all open jobs each time. */
export async function findMissingJobs(
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
