/** Lists the suspended agents, with the maintainer's reason. */
import { and, desc, eq, lt } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { isOpenAccount } from '#db/schema/index-conditions.ts';
import type { AgentRow } from '../agents/find-agent.ts';
import { requireMaintainer } from '../agents/require-maintainer.ts';
import { isSuspendedAt } from '../agents/suspension.ts';
import type { AgentCtx } from '../context.ts';
import { decodeCursor, type Page, type PageInput, pageOf } from '../paging.ts';

export interface SuspendedAgent {
  readonly agent: AgentRow;
  readonly reason: string | null;
}

/**
 * The newest agents first.
 * @throws DomainError maintainer_only; invalid_parameter for a bad cursor
 */
export async function listSuspendedAgents(ctx: AgentCtx, input: PageInput): Promise<Page<SuspendedAgent>> {
  requireMaintainer(ctx);
  const { agents, moderationEntries } = ctx.db.tables;
  const before = input.cursor === null ? undefined : decodeCursor('suspended', input.cursor, ['id'])[0];
  const acts = alias(moderationEntries, 'acts');
  const lastSuspension = ctx.db.query
    .select({ id: acts.id })
    .from(acts)
    .where(and(eq(acts.subjectId, agents.id), eq(acts.act, 'suspend')))
    .orderBy(desc(acts.id))
    .limit(1);
  const rows = await ctx.db.query
    .select({ agent: agents, reason: moderationEntries.reason })
    .from(agents)
    .leftJoin(moderationEntries, eq(moderationEntries.id, lastSuspension))
    .where(
      and(
        isSuspendedAt(agents, ctx.clock.now()),
        isOpenAccount(agents),
        before === undefined ? undefined : lt(agents.id, before),
      ),
    )
    .orderBy(desc(agents.id))
    .limit(input.limit + 1);
  return pageOf('suspended', rows, input.limit, ({ agent }) => [agent.id]);
}
