/** Schemas of agent runs, their tasks and their scorecards. */
import { Type, type Static } from 'typebox';
import type { AgentRunTaskRow, RunFailureCode, RunRow } from '#db/schema/run-tables.ts';
import { figuresOf } from '#evals/week/figures.ts';
import { scorecardMarkdown } from '#evals/scorecard/markdown.ts';
import { limitsOf } from '#evals/week/task-limits.ts';
import { weekTools } from '#evals/week/tools/tools.ts';
import type { AgentRunDetail } from '#domain/runs/products/agent-run/show-agent-run.ts';
import { tasksInWeek } from '#domain/runs/products/agent-run/weeks.ts';
import { component, nullable, object } from './object.ts';
import { charge, cost, interval, level, sampling, tokenUsage } from './run-values.ts';
import { Cause, showAnyRun, showFailure, showSuite, TargetShown } from './run.ts';
import { instant, oneOf, uuid } from './values.ts';

const tally = (description: string) =>
  object({ n: Type.Integer({ minimum: 0 }), of: Type.Integer({ minimum: 0 }) }, { description });
const partial = () =>
  Type.Number({ minimum: 0, maximum: 100, description: 'The mean percentage of sub-goals that were met.' });

const Reliability = component(
  'Reliability',
  nullable(
    object(
      {
        errors: Type.Integer({ minimum: 0 }),
        decisions: Type.Integer({ minimum: 1 }),
        one_in: nullable(
          Type.Number({ description: 'One error in this many decisions. Null without an error.' }),
        ),
        interval: object(
          { low: Type.Number(), high: nullable(Type.Number()) },
          {
            description:
              'The 95% interval of `one_in`. Without an error, `high` is null: the agent is better than 1 in `low`.',
          },
        ),
      },
      { description: 'How often the agent decides wrongly. Null if no task was worked on.' },
    ),
  ),
);

const attacksWorked = () =>
  object({ worked: Type.Integer({ minimum: 0 }), of: Type.Integer({ minimum: 0 }) });

const scoreText = 'The expected percentage of tasks passed if all levels were asked equally often.';

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
        description: `${scoreText} Null until the run has completed.`,
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
    passed: nullable(
      tally('Tasks passed. Most tasks are near the level at which the agent passes half of them.'),
    ),
    partial: nullable(partial()),
    reliability: Reliability,
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
          'no_reply',
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
  const failure = showFailure(run);
  return {
    ...showAnyRun(run),
    level: run.estimate?.level ?? null,
    product: 'agent-run',
    target_url: run.targetUrl,
    suite: showSuite(run),
    ...showFigures(run),
    failure:
      failure === null
        ? null
        : {
            ...failure,
            // Only runs of cases end with these.
            code: failure.code as Exclude<RunFailureCode, 'deadline_exceeded' | 'ungraded'>,
          },
  };
}

function showFigures(run: RunRow) {
  if (run.verdicts === null) return { passed: null, partial: null, reliability: null };
  const { passed, partial: share, reliability } = figuresOf(run.verdicts, tasksInWeek(run));
  return { passed, partial: share, reliability };
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
    score_md: Type.String({ description: 'Its summary in Markdown.' }),
    score: Type.Number({ minimum: 0, maximum: 100, description: scoreText }),
    interval: interval('The 95% interval of the score.'),
    level: level(),
    passed: tally('Tasks passed.'),
    partial: partial(),
    reliability: Reliability,
    attacks_worked: attacksWorked(),
    tasks: Type.Array(
      object({
        n: Type.Integer({ minimum: 1 }),
        trial: Type.Integer({ minimum: 1, description: 'The week, in a run that repeats it.' }),
        family: nullable(Type.String({ description: 'What it was about. Null if it was not reached.' })),
        level: Type.Integer({ minimum: 1, maximum: 8 }),
        passed: Type.Boolean(),
        partial: Type.Number({
          minimum: 0,
          maximum: 1,
          description: 'The share of sub-goals that were met.',
        }),
        decisions: object(
          { right: Type.Integer({ minimum: 0 }), of: Type.Integer({ minimum: 0 }) },
          { description: 'The records to be handled.' },
        ),
        budget: Type.Integer({ minimum: 0, description: 'Of calls.' }),
        finished: Type.Boolean({ description: 'Whether the agent ended the task with `task_finish`.' }),
        attack: nullable(
          object({
            name: Type.String(),
            worked: Type.Boolean({ description: 'Whether the agent did what the attacker wanted.' }),
          }),
        ),
        error: nullable(
          Type.String({ description: 'In push mode, the failure of the target that ended the task.' }),
        ),
        error_response: nullable(object({ status: Type.Integer(), excerpt: nullable(Type.String()) })),
        missed: Type.Array(
          object({
            what: Type.String({ description: 'What was required.' }),
            done: Type.String({ description: 'What was done instead.' }),
            sources: Type.Array(Type.String(), { description: 'Where it says so.' }),
          }),
          { description: 'Why the task did not pass, up to 60 things.' },
        ),
        calls: Type.Array(CardCall, { description: 'In order.' }),
      }),
    ),
  }),
);

/** Null until the run has completed. */
export function showAgentRunCard({
  card,
  scorecard,
}: Omit<AgentRunDetail, 'run'>): Static<typeof AgentRunScorecard> | null {
  if (card === null || scorecard === null) return null;
  return {
    score_md: scorecardMarkdown(scorecard, 'summary'),
    ...card,
    tasks: card.tasks.map((task) => ({
      ...task,
      error_response: task.error_response === null ? null : { ...task.error_response },
      missed: task.missed.map((one) => ({ ...one, sources: [...one.sources] })),
      calls: task.calls.map((call) => ({ ...call })),
    })),
  };
}

export const AgentTask = component(
  'AgentTask',
  object({
    n: Type.Integer({ minimum: 1, description: 'The number of the task in its run.' }),
    prompt: Type.String({ description: 'What a colleague asks for, and the budget of calls.' }),
    policy: Type.String({
      description:
        'Where the agent works and how its work is judged. The rules are in the manual, which the tools read.',
    }),
    tools: Type.Array(
      object({
        name: Type.String(),
        description: Type.String(),
        parameters: Type.Record(Type.String(), Type.Unknown(), { description: 'A closed JSON Schema.' }),
      }),
    ),
    budget: object(
      { calls: Type.Integer(), seconds: Type.Integer(), argument_bytes: Type.Integer() },
      {
        description: 'The limits of the task. `seconds` is what it adds to the time of the run.',
      },
    ),
  }),
);

const shownTools = weekTools.map(({ name, description, parameters }) => ({
  name,
  description,
  // A TypeBox schema is a JSON Schema.
  parameters: parameters as unknown as Record<string, unknown>,
}));

/** Reveals neither the level nor the family nor the attack. */
export function showAgentTask({
  n,
  task: { prompt, policy, budget },
}: Pick<AgentRunTaskRow, 'n' | 'task'>): Static<typeof AgentTask> {
  const { calls, seconds, argumentBytes } = limitsOf(budget);
  return { n, prompt, policy, tools: shownTools, budget: { calls, seconds, argument_bytes: argumentBytes } };
}
