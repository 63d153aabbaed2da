import { requireMaintainer } from '../agents/require-maintainer.ts';
import type { AgentCtx } from '../context.ts';
import type { Page } from '../paging.ts';
import { findVerifications, type FindVerificationsInput } from './find-verifications.ts';
import type { ShownReview } from './select-reviews.ts';

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
