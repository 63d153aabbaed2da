/**
 * Lists verification requests, newest first, without an access check. For operators, who have the database
 * anyway.
 */
import { and, desc, eq, lt } from 'drizzle-orm';
import type { VerificationStatus } from '#db/schema/standing-tables.ts';
import type { Ctx } from '../context.ts';
import { decodeCursor, type Page, type PageInput, pageOf } from '../paging.ts';
import { selectReviews, type ShownReview } from './select-reviews.ts';

export interface FindVerificationsInput extends PageInput {
  /** Only requests with this status; null for all. */
  readonly status: VerificationStatus | null;
}

/** @throws DomainError invalid_parameter for a bad cursor */
export async function findVerifications(
  { db }: Pick<Ctx, 'db'>,
  { status, cursor, limit }: FindVerificationsInput,
): Promise<Page<ShownReview>> {
  const { verificationReviews } = db.tables;
  const before = cursor === null ? undefined : decodeCursor('verifications', cursor, ['id'])[0];
  const rows = await selectReviews(db)
    .where(
      and(
        before === undefined ? undefined : lt(verificationReviews.id, before),
        status === null ? undefined : eq(verificationReviews.status, status),
      ),
    )
    .orderBy(desc(verificationReviews.id))
    .limit(limit + 1);
  return pageOf('verifications', rows, limit, ({ review }) => [review.id]);
}
