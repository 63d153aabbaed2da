/** Starts agent runs in tests and plays the reference plan of their tasks. */
import { eq } from 'drizzle-orm';
import type { RunRow } from '#db/schema/run-tables.ts';
import { makeAgentCall } from '#domain/agent-runs/make-call.ts';
import { takeNextTask } from '#domain/agent-runs/take-next-task.ts';
import type { AgentCtx, Ctx } from '#domain/context.ts';
import { makeTaskOf, planOf, taskCount } from '#evals/office/make-tasks.ts';
import type { ToolCall } from '#evals/office/tool.ts';
import { testSecretKey } from './secret-key.ts';
import { redeem } from '#domain/runs/redeem.ts';
import type { RedemptionInput, TargetInput } from '#domain/runs/redemption-input.ts';

const giveUp = { tool: 'finish', args: { outcome: 'refused', message: 'I give up.' } };

/** In pull mode, unless a target is given. */
export async function startAgentRun(
  ctx: AgentCtx,
  target: RedemptionInput['target'] = null,
  ranked = false,
): Promise<RunRow> {
  const order = { runSize: 40, maxPromptTokens: 32_000, ranked } as const;
  const input = { product: 'agent-run', targetUrl: null, target, ...order, secretKey: testSecretKey };
  return (await redeem(ctx, input)).run;
}

/** In push mode. @returns the run and the job of its worker */
export async function startPushedRun(
  ctx: AgentCtx,
  url: string,
  changes: Partial<TargetInput> = {},
  ranked = false,
): Promise<{ run: RunRow; job: { runId: string; jobId: string } }> {
  const target = { url, protocol: 'openai-chat', model: 'm-1', headers: {}, concurrency: 4 } as const;
  const run = await startAgentRun(ctx, { ...target, timeoutSeconds: null, ...changes }, ranked);
  const { jobs } = ctx.db.tables;
  const rows = await ctx.db.query.select().from(jobs).where(eq(jobs.kind, 'run'));
  const row = rows.find(({ payload }) => (payload as { runId: string }).runId === run.id);
  if (row === undefined) throw new Error(`no job row for agent run ${run.id}`);
  return { run, job: { runId: run.id, jobId: row.id } };
}

/** The calls that a perfect agent makes. */
export function planFor({ suiteSeed }: RunRow, n: number): readonly ToolCall[] {
  return planOf(makeTaskOf(suiteSeed, n));
}

/** Fetches the next task and makes these calls in it, or those of a perfect agent. */
export async function playNextTask(ctx: AgentCtx, run: RunRow, calls?: readonly ToolCall[]): Promise<number> {
  const { task } = await takeNextTask(ctx, { runId: run.id });
  if (task === null) throw new Error('The run has no task left.');
  for (const [index, { tool, args }] of (calls ?? planFor(run, task.n)).entries()) {
    await makeAgentCall(ctx, callOf(run, task.n, `call-${index}`, { tool, args }));
  }
  return task.n;
}

/**
 * Completes a run whose agent looks at its files in the first task and gives up on every task.
 * @returns the id of the run
 */
export async function completeAgentRun(ctx: AgentCtx, firstCallId: string): Promise<string> {
  const run = await startAgentRun(ctx);
  await takeNextTask(ctx, { runId: run.id });
  await makeAgentCall(ctx, callOf(run, 1, firstCallId, { tool: 'list_files', args: {} }));
  for (let n = 1; n <= taskCount; n += 1) await playNextTask(ctx, run, [giveUp]);
  return run.id;
}

/** Completes a ranked run whose agent gives up on every nth task and makes the calls of a perfect agent in the others. */
export async function completeRankedAgentRun(ctx: AgentCtx, givesUpEvery: number): Promise<void> {
  const run = await startAgentRun(ctx, null, true);
  for (let n = 1; n <= taskCount; n += 1) {
    await playNextTask(ctx, run, n % givesUpEvery === 0 ? [giveUp] : undefined);
  }
}

export function callOf(run: RunRow, n: number, callId: string, { tool, args }: ToolCall) {
  // The arguments of plans are objects.
  return { runId: run.id, n, callId, tool, args: args as Readonly<Record<string, unknown>> };
}

/** All rows of a run in the store. */
export async function readAgentRun(ctx: Ctx, runId: string) {
  const { runs, agentRunTasks, agentRunCalls, tokenAccounts, tokenEntries } = ctx.db.tables;
  const [run] = await ctx.db.query.select().from(runs).where(eq(runs.id, runId));
  if (run === undefined) throw new Error(`no agent run ${runId}`);
  const [account] = await ctx.db.query
    .select()
    .from(tokenAccounts)
    .where(eq(tokenAccounts.agentId, run.agentId));
  return {
    run,
    account,
    tasks: await ctx.db.query
      .select()
      .from(agentRunTasks)
      .where(eq(agentRunTasks.runId, run.id))
      .orderBy(agentRunTasks.n),
    calls: await ctx.db.query
      .select()
      .from(agentRunCalls)
      .where(eq(agentRunCalls.runId, run.id))
      .orderBy(agentRunCalls.n, agentRunCalls.position),
    entries: await ctx.db.query
      .select()
      .from(tokenEntries)
      .where(eq(tokenEntries.reference, run.redemptionId)),
  };
}
