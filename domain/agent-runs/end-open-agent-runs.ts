/** Ends all open runs of an agent that is suspended or closes its account, and refunds them. */
import { and, asc, eq } from 'drizzle-orm';
import { lockRows } from '#db/locks.ts';
import { isOpenRun, isOpenAgentTask } from '#db/schema/index-conditions.ts';
import type { TransactionCtx } from '../context.ts';
import { refundAgentRun } from './settle-agent-run.ts';

const messages = {
  agent_suspended: 'The agent was suspended. The run was refunded.',
  account_closed: 'The account was closed. The run was refunded.',
} as const;

/** @returns the number of runs that were ended */
export async function endOpenAgentRuns(
  ctx: TransactionCtx,
  agentId: string,
  code: keyof typeof messages,
): Promise<number> {
  const { runs, agentRunTasks } = ctx.db.tables;
  const open = await lockRows(
    ctx.db,
    ctx.db.query
      .select()
      .from(runs)
      .where(and(eq(runs.agentId, agentId), eq(runs.product, 'agent-run'), isOpenRun(runs)))
      .orderBy(asc(runs.id)),
  );
  for (const run of open) {
    const ended = await ctx.db.query
      .update(agentRunTasks)
      .set({ endedAt: ctx.clock.now() })
      .where(and(eq(agentRunTasks.runId, run.id), isOpenAgentTask(agentRunTasks)))
      .returning({ n: agentRunTasks.n });
    await ctx.db.query
      .update(runs)
      .set({ progressDone: run.progressDone + ended.length })
      .where(eq(runs.id, run.id));
    await refundAgentRun(ctx, run, { code, message: messages[code] });
  }
  return open.length;
}
