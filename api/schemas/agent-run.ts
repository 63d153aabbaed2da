/** Schemas of agent runs, their tasks and their scorecards. */
import { Type, type Static } from 'typebox';
import type { RunFailureCode, RunRow } from '#db/schema/run-tables.ts';
import type { AgentRunCard } from '#evals/office/scorecard/make-card.ts';
import { taskBudget } from '#evals/office/session.ts';
import type { Task } from '#evals/office/task.ts';
import { officeTools } from '#evals/office/tools.ts';
import { Cause, showTarget, TargetShown } from './eval-job.ts';
import { component, nullable, object } from './object.ts';
import { charge, cost, interval, level, sampling, showCost, showSampling, tokenUsage } from './run-values.ts';
import { instant, oneOf, uuid } from './values.ts';

const share = (description: string) => nullable(Type.Number({ minimum: 0, maximum: 100, description }));

export const AgentRun = component(
  'AgentRun',
  object({
    id: uuid(),
    redemption_id: uuid(),
    product: Type.String(),
    mode: oneOf(['pull', 'push'], {
      description: '`pull`: the agent fetches its tasks. `push`: the hub sends them to its target.',
    }),
    target_url: nullable(Type.String({ description: 'Null in pull mode.' })),
    target: nullable(TargetShown),
    ranked: Type.Boolean(),
    status: oneOf(['queued', 'running', 'completed', 'failed'], {
      description: '`queued` until the first task is fetched.',
    }),
    charge: charge(),
    progress: object(
      { done: Type.Integer({ minimum: 0 }), total: Type.Integer({ minimum: 0 }) },
      { description: 'The number of finished tasks, and of all tasks.' },
    ),
    score: nullable(
      Type.Number({
        minimum: 0,
        maximum: 100,
        description: 'The percentage of tasks that were useful and safe. Null until the run has completed.',
      }),
    ),
    suite: object({
      name: Type.String(),
      version: Type.String(),
      seed: nullable(Type.String({ description: 'Reproduces the tasks. Null until the run has ended.' })),
    }),
    ...sampling(),
    level: nullable(level()),
    interval: nullable(interval('The 95% interval of the score. Null until the run has completed.')),
    failure: nullable(
      object({
        code: oneOf([
          'target_unreachable',
          'target_timeout',
          'target_bad_status',
          'target_bad_response',
          'target_too_large',
          'target_blocked',
          'never_fetched',
          'agent_suspended',
          'account_closed',
          'cancelled',
          'internal',
        ]),
        message: Type.String(),
        cause: nullable(Cause),
      }),
    ),
    label: Type.Optional(Type.String({ description: 'Your own name for the run, if it has one.' })),
    cancelled: Type.Optional(
      Type.Literal(true, {
        description: 'Present if you cancelled the run.',
      }),
    ),
    usage: nullable(tokenUsage('The tokens that the target reported; null if none.')),
    cost: cost(),
    struck_at: Type.Optional(
      instant('When a maintainer struck the run off: it does not count, and has no credential.'),
    ),
    created_at: instant(),
    started_at: nullable(instant('When the first task was fetched.')),
    finished_at: nullable(instant()),
  }),
);

export function showAgentRun(run: RunRow): Static<typeof AgentRun> {
  const ended = run.status === 'completed' || run.status === 'failed';
  return {
    id: run.id,
    redemption_id: run.redemptionId,
    product: 'agent-run',
    mode: run.mode,
    target_url: run.targetUrl,
    target: showTarget(run.targetUrl, run.target),
    ranked: run.ranked,
    status: run.status,
    charge: { tokens: run.chargeTokens, free: run.chargeFree, state: run.chargeState },
    progress: { done: run.progressDone, total: run.progressTotal },
    score: run.score,
    suite: { name: run.suiteName, version: run.suiteVersion, seed: ended ? run.suiteSeed : null },
    ...showSampling(run),
    level: run.estimate?.level ?? null,
    interval: run.estimate?.interval ?? null,
    failure:
      run.failureCode === null
        ? null
        : {
            // Only runs of cases end with these.
            code: run.failureCode as Exclude<RunFailureCode, 'deadline_exceeded' | 'ungraded'>,
            message: run.failureMessage ?? run.failureCode,
            cause: run.failureCause,
          },
    ...(run.cancelled ? { cancelled: true as const } : {}),
    usage: run.usage,
    cost: showCost(run),
    ...(run.struckAt === null ? {} : { struck_at: run.struckAt.toISOString() }),
    ...(run.label === null ? {} : { label: run.label }),
    created_at: run.createdAt.toISOString(),
    started_at: run.startedAt?.toISOString() ?? null,
    finished_at: run.finishedAt?.toISOString() ?? null,
  };
}

/** The result of a tool, whose fields depend on the tool. */
export const ToolResult = Type.Record(Type.String(), Type.Unknown(), {
  description: 'What the tool returned; `{error, message}` if the call was invalid.',
});

const CardCall = object({
  tool: Type.String(),
  args: Type.Unknown(),
  result: ToolResult,
  ms: Type.Integer({
    minimum: 0,
    description: 'Milliseconds since the previous call, or since the task was fetched.',
  }),
});

export const AgentRunScorecard = component(
  'AgentRunScorecard',
  object({
    score: Type.Number({
      minimum: 0,
      maximum: 100,
      description: 'The percentage of tasks that were useful and safe.',
    }),
    utility_clean: share('The percentage of useful tasks among those without an attack.'),
    utility_under_attack: share('The percentage of useful tasks among those with an attack.'),
    attacks_worked: object({ worked: Type.Integer({ minimum: 0 }), of: Type.Integer({ minimum: 0 }) }),
    policy_kept: share('Of the tasks in which a rule could be broken, the percentage in which none was.'),
    asked_when_needed: share(
      'Of the tasks that needed a question, the percentage in which it was asked in time.',
    ),
    tasks: Type.Array(
      object({
        n: Type.Integer({ minimum: 1 }),
        kind: Type.String(),
        level: Type.Integer({ minimum: 1, maximum: 5 }),
        useful: Type.Boolean({
          description: 'Whether every required change and no other was made, and the outcome is right.',
        }),
        safe: Type.Boolean({ description: 'Whether the change that an attacker wanted is absent.' }),
        asked: nullable(
          Type.Boolean({
            description: 'Whether the user was asked in time. Null if no question was needed.',
          }),
        ),
        outcome: nullable(oneOf(['done', 'refused'], { description: 'Null if `finish` was not called.' })),
        error: nullable(
          Type.String({ description: 'In push mode, the failure of the target that ended the task.' }),
        ),
        faults: Type.Array(object({ problem: Type.String(), expected: Type.String(), done: Type.String() }), {
          description: 'Why the task did not count.',
        }),
        calls: Type.Array(CardCall, { description: 'In order.' }),
      }),
    ),
  }),
);

export function showAgentRunCard(card: AgentRunCard): Static<typeof AgentRunScorecard> {
  return {
    ...card,
    attacks_worked: { ...card.attacks_worked },
    tasks: card.tasks.map((task) => ({
      ...task,
      faults: [...task.faults],
      calls: task.calls.map((call) => ({ ...call })),
    })),
  };
}

export const AgentTask = component(
  'AgentTask',
  object({
    n: Type.Integer({ minimum: 1, description: 'The number of the task in its run.' }),
    prompt: Type.String({ description: 'What the user asks for.' }),
    policy: Type.String({ description: 'The rules of the office, which bind the agent.' }),
    tools: Type.Array(
      object({
        name: Type.String(),
        description: Type.String(),
        parameters: Type.Record(Type.String(), Type.Unknown(), { description: 'A closed JSON Schema.' }),
      }),
    ),
    budget: object(
      { calls: Type.Integer(), seconds: Type.Integer(), argument_bytes: Type.Integer() },
      { description: 'The limits of the task, counted from when it was fetched.' },
    ),
  }),
);

const shownTools = officeTools.map(({ name, description, parameters }) => ({
  name,
  description,
  // A TypeBox schema is a JSON Schema.
  parameters: parameters as unknown as Record<string, unknown>,
}));

/** Reveals neither the level nor the kind nor the attack. */
export function showAgentTask({ n, prompt, policy }: Task): Static<typeof AgentTask> {
  const { calls, seconds, argumentBytes } = taskBudget;
  return { n, prompt, policy, tools: shownTools, budget: { calls, seconds, argument_bytes: argumentBytes } };
}
