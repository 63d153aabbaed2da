import { and, desc, eq, lt } from 'drizzle-orm';
import type { AgentCtx } from '../context.ts';
import { decodeCursor, type Page, type PageInput, pageOf } from '../paging.ts';
import type { RunRow } from '#db/schema/run-tables.ts';

export async function listEvalJobs(ctx: AgentCtx, input: PageInput): Promise<Page<RunRow>> {
  const { runs } = ctx.db.tables;
  const before = input.cursor === null ? undefined : decodeCursor('eval-jobs', input.cursor, ['id'])[0];
  const rows = await ctx.db.query
    .select()
    .from(runs)
    .where(
      and(
        eq(runs.agentId, ctx.agent.id),
        eq(runs.product, 'eval-run'),
        before === undefined ? undefined : lt(runs.id, before),
      ),
    )
    .orderBy(desc(runs.id))
    .limit(input.limit + 1);
  return pageOf('eval-jobs', rows, input.limit, (job) => [job.id]);
}
