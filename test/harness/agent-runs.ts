/** Starts agent runs in tests and plays the reference plan of their tasks. */
import { and, eq, lt } from 'drizzle-orm';
import type { RunRow } from '#db/schema/run-tables.ts';
import { makeAgentCall, takeNextTask } from '#domain/runs/products/agent-run/pull-tasks.ts';
import type { AgentCtx, Ctx } from '#domain/context.ts';
import { placeInWeek, rebuildOffice } from '#domain/runs/products/agent-run/weeks.ts';
import { playTask, type Week, type WeekCall } from '#evals/week/week.ts';
import { testSecretKey } from './secret-key.ts';
import { redeem } from '#domain/runs/redeem.ts';
import type { RedemptionInput, SamplingInput, TargetInput } from '#domain/runs/redemption-input.ts';

/** The number of tasks of an ordinary run. */
export const taskCount = 12;
export const look = { tool: 'notes_read', args: {} };
export const giveUp = { tool: 'task_finish', args: { message: 'I give up.' } };

/** In pull mode, unless a target is given. */
export async function startAgentRun(
  ctx: AgentCtx,
  target: RedemptionInput['target'] = null,
  ranked = false,
  sampling: Partial<SamplingInput> = {},
): Promise<RunRow> {
  const plain = { repeat: 1, seed: null, replayOf: null };
  const order = {
    runSize: 40,
    maxPromptTokens: 32_000,
    ranked,
    sampling: { ...plain, ...sampling },
  } as const;
  const input = { product: 'agent-run', targetUrl: null, target, ...order, secretKey: testSecretKey };
  return (await redeem(ctx, input)).run;
}

/** In push mode. @returns the run and the job of its worker */
export async function startPushedRun(
  ctx: AgentCtx,
  url: string,
  changes: Partial<TargetInput> = {},
  ranked = false,
  sampling: Partial<SamplingInput> = {},
): Promise<{ run: RunRow; job: { runId: string; jobId: string } }> {
  const target = { url, protocol: 'openai-chat', model: 'm-1', headers: {}, concurrency: 4 } as const;
  const run = await startAgentRun(ctx, { ...target, timeoutSeconds: null, ...changes }, ranked, sampling);
  const { jobs } = ctx.db.tables;
  const rows = await ctx.db.query.select().from(jobs).where(eq(jobs.kind, 'run'));
  const row = rows.find(({ payload }) => (payload as { runId: string }).runId === run.id);
  if (row === undefined) throw new Error(`no job row for agent run ${run.id}`);
  return { run, job: { runId: run.id, jobId: row.id } };
}

/** Weeks that are played along, so that they are not rebuilt for every task. */
const shadows = new Map<string, Week>();

/** The calls that a perfect agent makes in a task that has no calls yet. */
export async function planFor(ctx: Ctx, run: RunRow, n: number): Promise<readonly WeekCall[]> {
  const week = (await shadowOf(ctx, run, n)) ?? (await rebuildOffice(ctx, run, n)).state.week.copy();
  if (week.present()?.n !== placeInWeek(run, n) + 1 || week.calls > 0)
    throw new Error(`Task ${n} is not at its beginning.`);
  const calls = playTask(week).calls.map(({ tool, args }) => ({ tool, args }));
  shadows.set(run.id, week);
  return calls;
}

/** Null if the run took another way than its shadow. */
async function shadowOf({ db }: Ctx, run: RunRow, n: number): Promise<Week | null> {
  const week = shadows.get(run.id);
  shadows.delete(run.id);
  const { agentRunTasks } = db.tables;
  const tasks = await db.query
    .select({ calls: agentRunTasks.calls })
    .from(agentRunTasks)
    .where(and(eq(agentRunTasks.runId, run.id), lt(agentRunTasks.n, n)))
    .orderBy(agentRunTasks.n);
  const isAlike = Bun.deepEquals(
    tasks.map(({ calls }) => calls),
    week?.verdicts.map(({ calls }) => calls),
  );
  return week !== undefined && isAlike ? week : null;
}

/** Fetches the next task and makes these calls in it, or those of a perfect agent. */
export async function playNextTask(ctx: AgentCtx, run: RunRow, calls?: readonly WeekCall[]): Promise<number> {
  const { task } = await takeNextTask(ctx, { runId: run.id });
  if (task === null) throw new Error('The run has no task left.');
  for (const [index, { tool, args }] of (calls ?? (await planFor(ctx, run, task.n))).entries()) {
    await makeAgentCall(ctx, callOf(run, task.n, `call-${index}`, { tool, args }));
  }
  return task.n;
}

/**
 * Completes a run whose agent looks at the manual in the first task and gives up on every task.
 * @returns the id of the run
 */
export async function completeAgentRun(ctx: AgentCtx, firstCallId: string): Promise<string> {
  const run = await startAgentRun(ctx);
  await takeNextTask(ctx, { runId: run.id });
  await makeAgentCall(ctx, callOf(run, 1, firstCallId, look));
  for (let n = 1; n <= taskCount; n += 1) await playNextTask(ctx, run, [giveUp]);
  return run.id;
}

/** Completes a ranked run whose agent makes the calls of a perfect agent in every nth task and gives up on the others. */
export async function completeRankedAgentRun(ctx: AgentCtx, passesEvery: number): Promise<void> {
  const run = await startAgentRun(ctx, null, true);
  for (let n = 1; n <= taskCount; n += 1) {
    await playNextTask(ctx, run, n % passesEvery === 0 ? undefined : [giveUp]);
  }
}

export function callOf(run: RunRow, n: number, callId: string, { tool, args }: WeekCall) {
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
