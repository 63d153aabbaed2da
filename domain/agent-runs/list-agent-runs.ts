import { and, desc, eq, lt } from 'drizzle-orm';
import type { AgentRunRow } from '#db/schema/agent-run-tables.ts';
import type { AgentCtx } from '../context.ts';
import { decodeCursor, type Page, type PageInput, pageOf } from '../paging.ts';

export async function listAgentRuns(ctx: AgentCtx, input: PageInput): Promise<Page<AgentRunRow>> {
  const { agentRuns } = ctx.db.tables;
  const before = input.cursor === null ? undefined : decodeCursor('agent-runs', input.cursor, ['id'])[0];
  const rows = await ctx.db.query
    .select()
    .from(agentRuns)
    .where(
      and(eq(agentRuns.agentId, ctx.agent.id), before === undefined ? undefined : lt(agentRuns.id, before)),
    )
    .orderBy(desc(agentRuns.id))
    .limit(input.limit + 1);
  return pageOf('agent-runs', rows, input.limit, (run) => [run.id]);
}
