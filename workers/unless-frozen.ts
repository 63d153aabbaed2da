/** Keeps the workers of a pool from taking jobs while the hub is frozen. */
import type { Database } from '#db/database.ts';
import { isStoreFrozen } from '#db/errors.ts';
import { freezeOf } from '#db/transaction.ts';
import { type DeliveredJob, Snooze } from '#runtime/jobs/job-worker.ts';

/** How soon jobs are taken again after the end of a freeze. */
const lookAgainMs = 3_000;

type Handle = (job: DeliveredJob) => Promise<void>;

/** @returns the handler, which puts jobs off while the hub is frozen */
export function unlessFrozen(db: Database, handle: Handle): Handle {
  return async (job) => {
    if ((await freezeOf(db)) !== null) throw new Snooze(lookAgainMs, { idle: true });
    try {
      await handle(job);
    } catch (error) {
      throw isStoreFrozen(error) ? new Snooze(lookAgainMs) : error;
    }
  };
}
