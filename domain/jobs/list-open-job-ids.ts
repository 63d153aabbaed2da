import { and, asc, gt, inArray, isNull } from 'drizzle-orm';
import type { Ctx } from '../context.ts';
import type { JobKind } from './job-kinds.ts';

export interface ListOpenJobIdsInput {
  readonly kinds: readonly JobKind[];
  /** The last id of the previous page; null for the first page. */
  readonly after: string | null;
  readonly limit: number;
}

/** Returns a page of open jobs in id order, so that jobs added meanwhile come last. */
export async function listOpenJobIds(
  { db }: Pick<Ctx, 'db'>,
  { kinds, after, limit }: ListOpenJobIdsInput,
): Promise<readonly string[]> {
  const { jobs } = db.tables;
  const rows = await db.query
    .select({ id: jobs.id })
    .from(jobs)
    .where(
      and(
        inArray(jobs.kind, [...kinds]),
        isNull(jobs.closedAt),
        after === null ? undefined : gt(jobs.id, after),
      ),
    )
    .orderBy(asc(jobs.id))
    .limit(limit);
  return rows.map(({ id }) => id);
}
