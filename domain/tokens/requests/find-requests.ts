/** Lists token requests, newest first, without an access check: for maintainers, and operators on the database. */
import { and, desc, eq, lt } from 'drizzle-orm';
import type { TokenRequestStatus } from '#db/schema/token-tables.ts';
import type { Ctx } from '../../context.ts';
import { decodeCursor, type Page, type PageInput, pageOf } from '../../paging.ts';
import { selectRequests, type ShownTokenRequest } from './select-requests.ts';

export interface FindRequestsInput extends PageInput {
  /** Only requests with this status; null for all. */
  readonly status: TokenRequestStatus | null;
  /** Only requests of this agent; null for all. */
  readonly agentId: string | null;
}

/** @throws DomainError invalid_parameter for a bad cursor */
export async function findRequests(
  { db }: Pick<Ctx, 'db'>,
  { status, agentId, cursor, limit }: FindRequestsInput,
): Promise<Page<ShownTokenRequest>> {
  const { tokenRequests } = db.tables;
  const before = cursor === null ? undefined : decodeCursor('token-requests', cursor, ['id'])[0];
  const rows = await selectRequests(db)
    .where(
      and(
        before === undefined ? undefined : lt(tokenRequests.id, before),
        status === null ? undefined : eq(tokenRequests.status, status),
        agentId === null ? undefined : eq(tokenRequests.agentId, agentId),
      ),
    )
    .orderBy(desc(tokenRequests.id))
    .limit(limit + 1);
  return pageOf('token-requests', rows, limit, ({ request }) => [request.id]);
}
