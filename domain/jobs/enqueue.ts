/** Enqueues jobs in the caller's transaction, so that a job exists if and only if its cause is committed. */
import { and, inArray, isNull } from 'drizzle-orm';
import { insertStatement } from '#db/prepared.ts';
import { createId } from '#runtime/create-id.ts';
import type { TransactionCtx } from '../context.ts';
import { type JobKind, type JobNotice, type JobPayloads, queueOfKind } from './job-kinds.ts';

const insertJobs = insertStatement('jobs');

/** Adds one job; see `enqueueAll`. */
export function enqueue<Kind extends JobKind>(
  ctx: TransactionCtx,
  kind: Kind,
  payload: JobPayloads[Kind],
): Promise<void> {
  return enqueueAll(ctx, kind, [payload]);
}

/**
 * Inserts a job row per payload and announces the jobs after the commit. A row stays open until the
 * transaction that does its work closes it, whatever happens to the announcement.
 */
export async function enqueueAll<Kind extends JobKind>(
  ctx: TransactionCtx,
  kind: Kind,
  payloads: readonly JobPayloads[Kind][],
): Promise<void> {
  const { rows, publish } = prepareJobs(ctx, kind, payloads);
  if (rows.length === 0) return;
  await insertJobs(ctx.db, rows);
  ctx.db.afterCommit(publish);
}

/** Like `enqueueAll`, but the rows are inserted with the commit. */
export function enqueueAllAtCommit<Kind extends JobKind>(
  ctx: TransactionCtx,
  kind: Kind,
  payloads: readonly JobPayloads[Kind][],
): void {
  const { rows, publish } = prepareJobs(ctx, kind, payloads);
  if (rows.length === 0) return;
  insertJobs.atCommit(ctx.db, rows);
  ctx.db.afterCommit(publish);
}

function prepareJobs<Kind extends JobKind>(
  ctx: TransactionCtx,
  kind: Kind,
  payloads: readonly JobPayloads[Kind][],
) {
  const now = ctx.clock.now();
  const notices = payloads.map(
    (given) =>
      // The signature ties payload to kind, but TypeScript cannot follow that through a type parameter.
      ({
        id: createId(now),
        kind,
        queue: queueOfKind[kind],
        payload: withCause(given, ctx),
        runAt: now,
      }) as JobNotice,
  );
  const rows = notices.map(({ id, payload }) => ({
    id,
    kind,
    payload,
    runAt: now,
    createdAt: now,
    // Count the job as announced from the start. If the announcement is lost, the outbox relay's slow scan finds the
    // row by its age.
    publishedAt: now,
  }));
  return { rows, publish: () => ctx.publisher.publish(notices) };
}

function withCause({ cause: own, ...payload }: JobPayloads[JobKind], ctx: TransactionCtx): object {
  const cause = own ?? ctx.cause;
  return cause === undefined ? payload : { ...payload, cause };
}

/** Marks jobs as done in the transaction that does their work. */
export async function closeJobs(ctx: TransactionCtx, ids: readonly string[]): Promise<void> {
  const { jobs } = ctx.db.tables;
  await ctx.db.query
    .update(jobs)
    .set({ closedAt: ctx.clock.now() })
    .where(and(inArray(jobs.id, [...ids]), isNull(jobs.closedAt)));
}
