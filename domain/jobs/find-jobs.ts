/** Job queries for operators. */
import { and, asc, desc, eq, inArray, isNotNull, isNull, or, sql } from 'drizzle-orm';
import type { Tables } from '#db/schema/make-schema.ts';
import type { Ctx } from '../context.ts';
import { isJobKind, type JobKind, type JobRow, subjectIdOf, subjectOfKind } from './job-kinds.ts';

interface FindJobsInput {
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
 * Finds a job by its own id, or the latest job for an eval run, mail or delivery with that id; null if there
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

export type JobSubject =
  | {
      readonly kind: 'run';
      readonly run: Tables['runs']['$inferSelect'];
      readonly agentHandle: string;
    }
  | { readonly kind: 'mail'; readonly mail: Tables['mails']['$inferSelect'] }
  | {
      readonly kind: 'webhook-delivery';
      readonly delivery: Tables['webhookDeliveries']['$inferSelect'];
      readonly webhook: Tables['webhooks']['$inferSelect'];
    };

/**
 * Looks up what a job works on, so that operators see its progress and errors.
 * Returns null if the subject was deleted or the kind is unknown to this version.
 */
export async function findJobSubject({ db }: Pick<Ctx, 'db'>, job: JobRow): Promise<JobSubject | null> {
  const { kind } = job;
  if (!isJobKind(kind)) return null;
  const { agents, runs, mails, webhookDeliveries, webhooks } = db.tables;
  const id = subjectIdOf(job);
  if (id === null) return null;
  switch (kind) {
    case 'run': {
      const [found] = await db.query
        .select({ run: runs, agentHandle: agents.handle })
        .from(runs)
        .innerJoin(agents, eq(agents.id, runs.agentId))
        .where(eq(runs.id, id));
      return found === undefined ? null : { kind, ...found };
    }
    case 'mail': {
      const [mail] = await db.query.select().from(mails).where(eq(mails.id, id));
      return mail === undefined ? null : { kind, mail };
    }
    case 'webhook-delivery': {
      const [found] = await db.query
        .select({ delivery: webhookDeliveries, webhook: webhooks })
        .from(webhookDeliveries)
        .innerJoin(webhooks, eq(webhooks.id, webhookDeliveries.webhookId))
        .where(eq(webhookDeliveries.id, id));
      return found === undefined ? null : { kind, ...found };
    }
  }
}
