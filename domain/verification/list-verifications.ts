import { and, desc, eq, lt } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Database } from '#db/database.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import type { VerificationStatus } from '#db/schema/standing-tables.ts';
import { requireMaintainer } from '../agents/maintainers.ts';
import type { AgentCtx, Ctx } from '../context.ts';
import { decodeCursor, type Page, type PageInput, pageOf } from '../paging.ts';

/**
 * Lists verification requests for maintainers, newest first.
 * @throws DomainError maintainer_only; invalid_parameter for a bad cursor
 */
export async function listVerifications(
  ctx: AgentCtx,
  input: FindVerificationsInput,
): Promise<Page<ShownReview>> {
  requireMaintainer(ctx);
  return findVerifications(ctx, input);
}

interface FindVerificationsInput extends PageInput {
  /** Only requests with this status; null for all. */
  readonly status: VerificationStatus | null;
}

/**
 * Lists verification requests, newest first, without an access check. For operators, who have the database
 * anyway.
 * @throws DomainError invalid_parameter for a bad cursor
 */
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

export type ReviewRow = Tables['verificationReviews']['$inferSelect'];

export interface ShownReview {
  readonly review: ReviewRow;
  readonly agentHandle: string;
  /** Null until decided, and if the operator decided. */
  readonly decidedByHandle: string | null;
}

/**
 * A query for reviews with the handles of their agents; the caller adds the conditions. Its rows are {@link
 * ShownReview}.
 */
export function selectReviews({ query, tables }: Database) {
  const { agents, verificationReviews } = tables;
  const deciders = alias(agents, 'deciders');
  return query
    .select({ review: verificationReviews, agentHandle: agents.handle, decidedByHandle: deciders.handle })
    .from(verificationReviews)
    .innerJoin(agents, eq(agents.id, verificationReviews.agentId))
    .leftJoin(deciders, eq(deciders.id, verificationReviews.decidedById));
}
