/** One agent run, its tasks, and the calls that agents make in them, over HTTP and MCP. */
import { randomUUID } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { listRuns } from '#domain/runs/find-run.ts';
import { makeAgentCall, takeNextTask } from '#domain/runs/products/agent-run/pull-tasks.ts';
import { showAgentRun as readAgentRun } from '#domain/runs/products/agent-run/show-agent-run.ts';
import type { AgentCtx } from '#domain/context.ts';
import { endpoint } from '../endpoint.ts';
import { pageAsked, pageResponse } from '../response/page-response.ts';
import {
  AgentRun,
  AgentRunScorecard,
  AgentTask,
  showAgentRun,
  showAgentRunCard,
  showAgentTask,
  ToolResult,
} from '../schemas/agent-run.ts';
import { component, nullable, object } from '../schemas/object.ts';
import { line } from '../schemas/text.ts';
import { nextCursor, paging, uuid } from '../schemas/values.ts';

export const agentRunKey = object({ id: uuid('The id of one of your agent runs.') });

export const listAgentRuns = endpoint({
  method: 'GET',
  path: '/v1/agent-runs',
  summary: 'List your agent runs, newest first',
  tag: 'agent runs',
  auth: 'agent',
  query: object(paging()),
  responses: {
    200: {
      description: 'A page of your agent runs.',
      schema: component(
        'AgentRunList',
        object({ agent_runs: Type.Array(AgentRun), next_cursor: nextCursor() }),
      ),
    },
  },
  handle: async ({ ctx, query, request }) => {
    const page = await listRuns(ctx, {
      product: 'agent-run',
      ...pageAsked(query),
    });
    return pageResponse(request, page, { agent_runs: page.items.map(showAgentRun) });
  },
});

export const AgentRunResponse = component(
  'AgentRunResponse',
  object({ agent_run: AgentRun, scorecard: nullable(AgentRunScorecard) }),
);

export const showRun = endpoint({
  method: 'GET',
  path: '/v1/agent-runs/:id',
  summary: 'Get an agent run with its scorecard',
  description: 'The scorecard appears once the run has completed.',
  tag: 'agent runs',
  auth: 'agent',
  params: agentRunKey,
  responses: {
    200: {
      description: 'The run, and its scorecard with every call.',
      schema: AgentRunResponse,
    },
  },
  errors: ['run_not_found'],
  handle: async ({ ctx, params }) => {
    const shown = await readAgentRun(ctx, { runId: params.id });
    return { agent_run: showAgentRun(shown.run), scorecard: showAgentRunCard(shown) };
  },
});

const NextAgentTask = component(
  'NextAgentTask',
  object({
    task: nullable(AgentTask),
    ended: Type.Boolean({ description: 'Whether the run has ended.' }),
    remaining: Type.Integer({
      minimum: 0,
      description: 'Tasks that have not ended, including this one.',
    }),
  }),
);

const nextTaskWaitMax = 25;

const nextTask = endpoint({
  method: 'GET',
  path: '/v1/agent-runs/:id/tasks/next',
  scope: 'act',
  summary: 'Fetch the next task of an agent run',
  description:
    'One task is open at a time: repeating the request returns it until it has ended with `task_finish` or the last call of its budget. The first task starts the run, which is then charged. Each task adds 30 seconds for each call of its budget to the time of the run, whose end ends the run. A run whose first task is not fetched within 24 hours is refunded.',
  tag: 'agent runs',
  auth: 'agent',
  params: agentRunKey,
  query: object({
    wait: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: nextTaskWaitMax,
        default: 0,
        description: 'Seconds to wait for a task. An open run always has one, so the response is immediate.',
      }),
    ),
  }),
  responses: {
    200: {
      description: 'The open task; null once the run has ended.',
      schema: NextAgentTask,
    },
  },
  errors: ['run_not_found', 'not_pull_mode'],
  handle: ({ ctx, params }) => showNextTask(ctx, params.id),
});

async function showNextTask(ctx: AgentCtx, runId: string): Promise<Static<typeof NextAgentTask>> {
  const { task, remaining } = await takeNextTask(ctx, { runId });
  return { task: task === null ? null : showAgentTask(task), ended: task === null, remaining };
}

/** The limit of one call. The task's budget for arguments allows two calls of this size. */
const callMaxBytes = 32 * 1024;
const callId = (description: string) => line({ max: 200, description });

const makeCall = endpoint({
  method: 'POST',
  path: '/v1/agent-runs/:id/tasks/:n/calls',
  summary: 'Call a tool in a task of an agent run',
  description:
    'An unknown tool, wrong arguments and an unknown id return a `result` with `error` and `message`, and count as a call. A repeated `call_id` returns the result of the first call and does not count, even after the task has ended.',
  tag: 'agent runs',
  auth: 'agent',
  params: object({
    id: uuid('The id of one of your agent runs.'),
    n: Type.Integer({ minimum: 1, maximum: 1_000, description: 'The number of the task.' }),
  }),
  body: component(
    'AgentCallRequest',
    object({
      call_id: callId('Your id for this call. Reuse it only to retry the call.'),
      tool: line({ max: 200, description: 'The name of a tool.', example: 'mail_search' }),
      args: Type.Record(Type.String(), Type.Unknown(), {
        description: 'The arguments of the tool.',
        examples: [{ words: 'invoice' }],
      }),
    }),
  ),
  bodyMaxBytes: callMaxBytes,
  responses: {
    200: {
      description: 'The result of the tool.',
      schema: component(
        'AgentCallResponse',
        object({
          result: ToolResult,
          calls_left: Type.Integer({
            minimum: 0,
            description: 'Calls left in this task. It has ended at 0, or if `result.task_ended` is true.',
          }),
        }),
      ),
    },
  },
  errors: [
    'run_not_found',
    'not_pull_mode',
    'task_not_found',
    'task_ended',
    'budget_exhausted',
    'call_id_reused',
  ],
  idempotent: 'transaction',
  handle: async ({ ctx, params, body }) => {
    const { result, callsLeft } = await makeAgentCall(ctx, {
      runId: params.id,
      n: params.n,
      callId: body.call_id,
      tool: body.tool,
      args: body.args,
    });
    return { result, calls_left: callsLeft };
  },
});

export const officeMcpPath = '/v1/agent-runs/:id/mcp';

/**
 * A call of an office tool over MCP, which always concerns the open task. It has no path of its own: the MCP server of
 * the run sends its requests here.
 */
const callInOpenTask = endpoint({
  method: 'POST',
  path: officeMcpPath,
  summary: 'Call a tool in the open task of an agent run',
  tag: 'agent runs',
  auth: 'agent',
  params: agentRunKey,
  body: object({
    call_id: nullable(callId('The id of the call within the run.')),
    tool: line({ max: 200 }),
    args: Type.Record(Type.String(), Type.Unknown()),
  }),
  bodyMaxBytes: callMaxBytes,
  responses: {
    200: {
      description: 'The result of the tool, and the next task if this call ended one.',
      schema: object({
        task: Type.Integer({ minimum: 1 }),
        result: ToolResult,
        calls_left: Type.Integer({ minimum: 0 }),
        next: Type.Optional(NextAgentTask),
      }),
    },
  },
  errors: [
    'run_not_found',
    'not_pull_mode',
    'task_not_found',
    'task_ended',
    'budget_exhausted',
    'call_id_reused',
  ],
  handle: async ({ ctx, params, body }) => {
    const { n, result, callsLeft, endedTask } = await makeAgentCall(ctx, {
      runId: params.id,
      n: null,
      callId: body.call_id ?? randomUUID(),
      tool: body.tool,
      args: body.args,
    });
    const made = { task: n, result, calls_left: callsLeft };
    return endedTask ? { ...made, next: await showNextTask(ctx, params.id) } : made;
  },
});

export const taskEndpoints = [nextTask, makeCall];

/** What the MCP server of a run calls. */
export const officeEndpoints = { nextTask, callInOpenTask };
