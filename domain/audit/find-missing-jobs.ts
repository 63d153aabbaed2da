/** Finds work that is still to be done and that no open job promises, so that nobody would ever do it. */
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
  /** Of the rows that are still to be worked on. */
  readonly isOpen: SQL;
}

/**
 * The promises are gathered first and then joined: asked for one by one, each row that waits would look through all jobs
 * that are open.
 */
export async function findMissingJobs(
  db: Database,
  { kind, table, id, status, isOpen }: Promised,
  limit: number,
): Promise<Drift[]> {
  const { jobs } = db.tables;
  // Both sides of the join are cast: SQLite indexes what it has gathered only when their types are the same.
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
