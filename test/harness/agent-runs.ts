/** Starts agent runs in tests and plays the reference plan of their tasks. */
import type { RunRow } from '#db/schema/run-tables.ts';
import type { AgentCtx, Ctx } from '#domain/context.ts';
import { planWeek } from '#domain/runs/products/agent-run.ts';
import { type HandedOutCase, handOutCases } from '#domain/runs/pull/hand-out-cases.ts';
import { redeem } from '#domain/runs/redeem.ts';
import type { RedemptionInput, TargetInput } from '#domain/runs/redemption-input.ts';
import type { StoredTrial } from '#evals/own-suite/stored-trial.ts';
import type { OfficeState } from '#evals/week/office-world.ts';
import { playTask, type WeekCall } from '#evals/week/week.ts';
import { callsPerStepMax, type Step } from '#evals/worlds/world.ts';
import { answerPulled, jobRowOf, readRunRows } from './eval-runs.ts';
import { rowsOf } from './rows.ts';
import { testSecretKey } from './secret-key.ts';
import { targetAt } from './target.ts';

/** The number of tasks of an ordinary run. */
export const taskCount = 12;
export const look = { tool: 'notes_read', args: {} };
export const giveUp = { tool: 'task_finish', args: { message: 'I give up.' } };

/** In pull mode, unless a target is given. */
export async function startAgentRun(ctx: AgentCtx, changes: Partial<RedemptionInput> = {}): Promise<RunRow> {
  const input = { product: 'agent-run', targetUrl: null, target: null, ranked: false, ...changes };
  return (await redeem(ctx, { ...input, secretKey: testSecretKey })).run;
}

/** In push mode. @returns the run and the job of its worker */
export async function startPushedRun(
  ctx: AgentCtx,
  url: string,
  target: Partial<TargetInput> = {},
  changes: Partial<RedemptionInput> = {},
): Promise<{ run: RunRow; job: { runId: string; jobId: string } }> {
  const called = { protocol: 'openai-chat', model: 'm-1', concurrency: 4 } as const;
  const run = await startAgentRun(ctx, { target: targetAt(url, { ...called, ...target }), ...changes });
  return { run, job: { runId: run.id, jobId: (await jobRowOf(ctx, run.id)).id } };
}

/**
 * A task that has no calls yet, and what a perfect agent does in it.
 * @param index from 0
 */
export async function taskAt(
  ctx: Ctx,
  run: RunRow,
  index: number,
): Promise<{ prompt: string; plan: readonly WeekCall[] }> {
  const plan = planWeek(ctx, run);
  const item = plan?.planned(Array.from({ length: index }, (_, at) => ({ index: at, score: 0 }))).at(index);
  if (plan === null || item === undefined) throw new Error(`Task ${index} cannot be made.`);
  const { world } = await plan.present(item);
  const { state, messages } = world.start();
  // The state of the world of a task.
  const week = (state as OfficeState).week.copy();
  week.present();
  const calls = playTask(week).calls.map(({ tool, args }) => ({ tool, args }));
  return { prompt: messages[0]?.content ?? '', plan: calls };
}

export async function planFor(ctx: Ctx, run: RunRow, index: number): Promise<readonly WeekCall[]> {
  return (await taskAt(ctx, run, index)).plan;
}

/** The open task of a run; undefined once it has ended. */
export async function fetchTask(ctx: AgentCtx, run: RunRow): Promise<HandedOutCase | undefined> {
  return (await handOutCases(ctx, { runId: run.id, limit: 1 })).cases[0];
}

export function stepOf(calls: readonly WeekCall[]): Step {
  return {
    text: null,
    calls: calls.map(({ tool, args }, at) => ({ id: `c${at}`, name: tool, arguments: args })),
  };
}

/** Takes a step with these calls. */
export function answerTask(
  ctx: AgentCtx,
  run: RunRow,
  { caseId, step }: Pick<HandedOutCase, 'caseId' | 'step'>,
  calls: readonly WeekCall[],
) {
  return answerPulled(ctx, run.id, [{ caseId, step, toolCalls: stepOf(calls).calls }]);
}

/**
 * Fetches the open task and makes these calls in it, or those of a perfect agent, in as few steps as it can.
 * @returns the index of the task
 */
export async function playNextTask(ctx: AgentCtx, run: RunRow, calls?: readonly WeekCall[]): Promise<number> {
  const task = await fetchTask(ctx, run);
  if (task === undefined) throw new Error('The run has no task left.');
  const made = calls ?? (await planFor(ctx, run, task.index));
  for (let first = 0, { step } = task; first < made.length; first += callsPerStepMax, step += 1)
    await answerTask(ctx, run, { ...task, step }, made.slice(first, first + callsPerStepMax));
  return task.index;
}

/** Completes a run whose agent gives up on the tasks for which nothing else is given. */
export async function completeAgentRun(
  ctx: AgentCtx,
  changes: Partial<RedemptionInput> = {},
  isSolved: (index: number) => boolean = () => false,
): Promise<RunRow> {
  const run = await startAgentRun(ctx, changes);
  for (let index = 0; index < run.progressTotal; index += 1)
    await playNextTask(ctx, run, isSolved(index) ? undefined : [giveUp]);
  return run;
}

/** What the store has of a run. */
export async function readAgentRun({ db }: Ctx, runId: string) {
  const { items, ...rest } = await readRunRows({ db }, runId);
  return {
    ...rest,
    // The plan of an agent run stores these.
    tasks: items.map(({ result }) => result),
    open: await rowsOf({ db }, 'runLeases', { runId }),
  };
}

/** The calls of a task that has ended, as the agent made them. */
export function callsIn({ steps = [] }: Pick<StoredTrial, 'steps'>): readonly WeekCall[] {
  return steps.flatMap(({ calls }) => calls.map(({ name, arguments: args }) => ({ tool: name, args })));
}
