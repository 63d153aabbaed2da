import { and, desc, eq, lt } from 'drizzle-orm';
import type { RunRow } from '#db/schema/run-tables.ts';
import type { AgentCtx } from '../context.ts';
import { decodeCursor, type Page, type PageInput, pageOf } from '../paging.ts';

export async function listAgentRuns(ctx: AgentCtx, input: PageInput): Promise<Page<RunRow>> {
  const { runs } = ctx.db.tables;
  const before = input.cursor === null ? undefined : decodeCursor('agent-runs', input.cursor, ['id'])[0];
  const rows = await ctx.db.query
    .select()
    .from(runs)
    .where(
      and(
        eq(runs.agentId, ctx.agent.id),
        eq(runs.product, 'agent-run'),
        before === undefined ? undefined : lt(runs.id, before),
      ),
    )
    .orderBy(desc(runs.id))
    .limit(input.limit + 1);
  return pageOf('agent-runs', rows, input.limit, (run) => [run.id]);
}
