import { and, desc, eq, lt } from 'drizzle-orm';
import type { AgentCtx } from '../context.ts';
import { decodeCursor, type Page, type PageInput, pageOf } from '../paging.ts';
import type { EvalJobRow } from '#db/schema/eval-tables.ts';

export async function listEvalJobs(ctx: AgentCtx, input: PageInput): Promise<Page<EvalJobRow>> {
  const { evalJobs } = ctx.db.tables;
  const before = input.cursor === null ? undefined : decodeCursor('eval-jobs', input.cursor, ['id'])[0];
  const rows = await ctx.db.query
    .select()
    .from(evalJobs)
    .where(
      and(eq(evalJobs.agentId, ctx.agent.id), before === undefined ? undefined : lt(evalJobs.id, before)),
    )
    .orderBy(desc(evalJobs.id))
    .limit(input.limit + 1);
  return pageOf('eval-jobs', rows, input.limit, (job) => [job.id]);
}
