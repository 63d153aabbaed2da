/** Rows of jobs as they are announced. */
import type { JobRow } from './find-jobs.ts';
import { isJobKind, type JobKind, type JobNotice, queueOfKind } from './job-kinds.ts';

/** Rows of kinds that this version does not know are left out. */
export function noticesOf(rows: readonly JobRow[]): readonly JobNotice[] {
  return rows.filter((row) => isJobKind(row.kind)).map(asNotice);
}

function asNotice(row: JobRow): JobNotice {
  const kind = row.kind as JobKind; // The caller has filtered by isJobKind.
  // Kind and payload were stored together by `enqueue`, whose signature ties them to each other.
  return { id: row.id, kind, queue: queueOfKind[kind], payload: row.payload, runAt: row.runAt } as JobNotice;
}
