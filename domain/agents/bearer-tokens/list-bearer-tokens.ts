import { and, desc, eq, isNull, lt } from 'drizzle-orm';
import type { Tables } from '#db/schema/make-schema.ts';
import type { AgentCtx } from '../../context.ts';
import { decodeCursor, type Page, type PageInput, pageOf } from '../../paging.ts';

export type BearerTokenRow = Tables['bearerTokens']['$inferSelect'];

/**
 * Lists the acting agent's valid tokens, newest first.
 * @throws DomainError invalid_parameter for a bad cursor
 */
export async function listBearerTokens(ctx: AgentCtx, input: PageInput): Promise<Page<BearerTokenRow>> {
  const { bearerTokens } = ctx.db.tables;
  const before = input.cursor === null ? undefined : decodeCursor('bearer-tokens', input.cursor, ['id'])[0];
  const rows = await ctx.db.query
    .select()
    .from(bearerTokens)
    .where(
      and(
        eq(bearerTokens.agentId, ctx.agent.id),
        isNull(bearerTokens.revokedAt),
        before === undefined ? undefined : lt(bearerTokens.id, before),
      ),
    )
    .orderBy(desc(bearerTokens.id))
    .limit(input.limit + 1);
  return pageOf('bearer-tokens', rows, input.limit, (token) => [token.id]);
}
