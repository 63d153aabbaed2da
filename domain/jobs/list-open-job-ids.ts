/** Walks through the open jobs of some kinds, a page at a time. */
import { and, asc, gt, inArray, isNull } from 'drizzle-orm';
import type { Ctx } from '../context.ts';
import type { JobKind } from './job-kinds.ts';

export interface ListOpenJobIdsInput {
  readonly kinds: readonly JobKind[];
  /** The last id of the page before; null for the first page. */
  readonly after: string | null;
  readonly limit: number;
}

/** In the order of their ids, so that what is added meanwhile comes last. */
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
