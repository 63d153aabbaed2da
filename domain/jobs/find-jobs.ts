/** Job queries for operators. */
import { and, asc, desc, eq, inArray, isNotNull, isNull, or, sql } from 'drizzle-orm';
import type { Ctx } from '../context.ts';
import { type JobKind, type JobRow, subjectOfKind } from './job-kinds.ts';

export interface FindJobsInput {
  /** Null for all. */
  readonly kinds: readonly JobKind[] | null;
  readonly state: 'open' | 'closed';
  readonly limit: number;
}

/**
 * Returns open jobs, earliest due first, or closed jobs, newest first. Closed jobs are deleted after a week.
 */
export async function findJobs(ctx: Pick<Ctx, 'db'>, input: FindJobsInput): Promise<readonly JobRow[]> {
  const { jobs } = ctx.db.tables;
  const isOpen = input.state === 'open';
  return ctx.db.query
    .select()
    .from(jobs)
    .where(
      and(
        isOpen ? isNull(jobs.closedAt) : isNotNull(jobs.closedAt),
        input.kinds === null ? undefined : inArray(jobs.kind, [...input.kinds]),
      ),
    )
    .orderBy(...(isOpen ? [asc(jobs.runAt), asc(jobs.id)] : [desc(jobs.closedAt), desc(jobs.id)]))
    .limit(input.limit);
}

/**
 * Finds a job by its own id, or the latest job for an eval job, mail or delivery with that id; null if there
 * is none.
 */
export async function findJob(ctx: Pick<Ctx, 'db'>, id: string): Promise<JobRow | null> {
  const { jobs } = ctx.db.tables;
  const names = [...new Set(Object.values(subjectOfKind))];
  const [job] = await ctx.db.query
    .select()
    .from(jobs)
    .where(
      or(eq(jobs.id, id), ...names.map((name) => sql`${jobs.payload} ->> ${sql.raw(`'${name}'`)} = ${id}`)),
    )
    .orderBy(desc(jobs.id))
    .limit(1);
  return job ?? null;
}
