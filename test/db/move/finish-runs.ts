/** Finishes the open runs of a moved hub, of every product and in both modes. */
import { inArray } from 'drizzle-orm';
import type { AgentCtx, Ctx } from '#domain/context.ts';
import { handOutCases } from '#domain/runs/pull/hand-out-cases.ts';
import { pushRun } from '#workers/eval-runner/push-run.ts';
import { giveUp, playNextTask, readAgentRun, taskCount } from '#test/harness/agent-runs.ts';
import { answerPulled, createTestRunner, jobRowOf } from '#test/harness/eval-runs.ts';
import type { FilledHub } from './fill-hub.ts';

/** More than 40 cases need. */
const roundsMax = 20;

/** @returns the status of each open run at the end, by its name in `runs` */
export async function finishRuns(
  ctx: Ctx,
  own: AgentCtx,
  { runs }: FilledHub,
  redisUrl: string,
): Promise<Readonly<Record<string, string>>> {
  for (const runId of [runs.pulledEval, runs.pulledSuite]) await answerAll(own, runId);
  const { run } = await readAgentRun(ctx, runs.pulledAgent);
  for (let index = 0; index < taskCount; index += 1) await playNextTask(own, run, [giveUp]);
  const runner = createTestRunner(ctx, redisUrl);
  for (const runId of [runs.pushedEval, runs.pushedSuite, runs.pushedAgent])
    await pushRun(runner, { runId, jobId: (await jobRowOf(ctx, runId)).id });
  runner.close();
  const table = ctx.db.tables.runs;
  const rows = await ctx.db.query
    .select({ id: table.id, status: table.status })
    .from(table)
    .where(inArray(table.id, Object.values(runs)));
  const statuses = new Map(rows.map(({ id, status }) => [id, status]));
  return Object.fromEntries(Object.entries(runs).map(([name, id]) => [name, statuses.get(id) ?? 'missing']));
}

async function answerAll(own: AgentCtx, runId: string): Promise<void> {
  for (let round = 0; round < roundsMax; round += 1) {
    const { cases } = await handOutCases(own, { runId, limit: 8 });
    if (cases.length === 0) return;
    await answerPulled(
      own,
      runId,
      cases.map(({ caseId }) => ({ caseId, text: 'hello' })),
    );
  }
}
