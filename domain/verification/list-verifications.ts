/** The requests to be verified, newest first, for maintainers. */
import { and, desc, eq, lt } from 'drizzle-orm';
import type { VerificationStatus } from '#db/schema/standing-tables.ts';
import { requireMaintainer } from '../agents/require-maintainer.ts';
import type { AgentCtx } from '../context.ts';
import { decodeCursor, type Page, type PageInput, pageOf } from '../paging.ts';
import { selectReviews, type ShownReview } from './select-reviews.ts';

export interface ListVerificationsInput extends PageInput {
  /** Only requests of this status; null for all. */
  readonly status: VerificationStatus | null;
}

/** @throws DomainError maintainer_only; invalid_parameter for a bad cursor */
export async function listVerifications(
  ctx: AgentCtx,
  input: ListVerificationsInput,
): Promise<Page<ShownReview>> {
  requireMaintainer(ctx);
  const { verificationReviews } = ctx.db.tables;
  const before = input.cursor === null ? undefined : decodeCursor(input.cursor, ['id'])[0];
  const rows = await selectReviews(ctx.db)
    .where(
      and(
        before === undefined ? undefined : lt(verificationReviews.id, before),
        input.status === null ? undefined : eq(verificationReviews.status, input.status),
      ),
    )
    .orderBy(desc(verificationReviews.id))
    .limit(input.limit + 1);
  return pageOf(rows, input.limit, ({ review }) => [review.id]);
}
