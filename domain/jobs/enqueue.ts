/** Promises work in the caller's transaction: either both are committed or neither is. */
import { insertStatement } from '#db/insert-statement.ts';
import { createId } from '#runtime/create-id.ts';
import type { TransactionCtx } from '../context.ts';
import { type JobKind, type JobNotice, type JobPayloads, queueOfKind } from './job-kinds.ts';

export interface EnqueueOptions {
  /** Not before this instant; at once when left out. */
  readonly runAt?: Date;
}

const insertJobs = insertStatement('jobs');

/** Adds one job; see `enqueueAll`. */
export function enqueue<Kind extends JobKind>(
  ctx: TransactionCtx,
  kind: Kind,
  payload: JobPayloads[Kind],
  options: EnqueueOptions = {},
): Promise<void> {
  return enqueueAll(ctx, kind, [payload], options);
}

/**
 * Adds a job row for each payload and announces them once the transaction has committed. A row stays open until
 * the commit that does its work closes it, whatever becomes of the announcement.
 */
export async function enqueueAll<Kind extends JobKind>(
  ctx: TransactionCtx,
  kind: Kind,
  payloads: readonly JobPayloads[Kind][],
  options: EnqueueOptions = {},
): Promise<void> {
  if (payloads.length === 0) return;
  const now = ctx.clock.now();
  const runAt = options.runAt ?? now;
  const notices = payloads.map(
    (given) =>
      // The parameters tie payload and kind together, which TypeScript does not follow for a kind that is a type parameter.
      ({
        id: createId(now),
        kind,
        queue: queueOfKind[kind],
        payload: withCause(given, ctx),
        runAt,
      }) as JobNotice,
  );
  const rows = notices.map(({ id, payload, runAt }) => ({
    id,
    kind,
    payload,
    runAt,
    createdAt: now,
    // Counted as announced from the start: should the announcement get lost, the slow scan finds the row by its age.
    publishedAt: now,
  }));
  await insertJobs(ctx.db, rows);
  ctx.db.afterCommit(() => ctx.publisher.publish(notices));
}

function withCause({ cause: own, ...payload }: JobPayloads[JobKind], ctx: TransactionCtx): object {
  const cause = own ?? ctx.cause;
  return cause === undefined ? payload : { ...payload, cause };
}
