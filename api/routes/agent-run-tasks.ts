/** One agent run, its tasks, and the calls that agents make in them, over HTTP and MCP. */
import { Elysia } from 'elysia';
import { randomUUID } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { listRuns } from '#domain/runs/find-run.ts';
import { makeAgentCall, takeNextTask } from '#domain/runs/products/agent-run/pull-tasks.ts';
import { showAgentRun as readAgentRun } from '#domain/runs/products/agent-run/show-agent-run.ts';
import type { AgentCtx } from '#domain/context.ts';
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
import { edge, input, replies } from '../plugins/edge.ts';
import { operationAt } from '../plugins/operations.ts';

export const agentRunKey = object({ id: uuid('The id of one of your agent runs.') });

export const AgentRunResponse = component(
  'AgentRunResponse',
  object({ agent_run: AgentRun, scorecard: nullable(AgentRunScorecard) }),
);

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

async function showNextTask(ctx: AgentCtx, runId: string): Promise<Static<typeof NextAgentTask>> {
  const { task, remaining } = await takeNextTask(ctx, { runId });
  return { task: task === null ? null : showAgentTask(task), ended: task === null, remaining };
}

/** The limit of one call. The task's budget for arguments allows two calls of this size. */
const callMaxBytes = 32 * 1024;
const callId = (description: string) => line({ max: 200, description });

export const officeMcpPath = '/v1/agent-runs/:id/mcp';

export const taskRoutes = new Elysia({ tags: ['agent runs'] })
  .use(edge)
  .get('/v1/agent-runs/:id/tasks/next', ({ ctx, params }) => showNextTask(ctx, params.id), {
    scope: 'act',
    agent: true,
    params: input(agentRunKey),
    query: input(
      object({
        wait: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: nextTaskWaitMax,
            default: 0,
            description:
              'Seconds to wait for a task. An open run always has one, so the response is immediate.',
          }),
        ),
      }),
    ),
    response: replies({
      200: {
        description: 'The open task; null once the run has ended.',
        schema: NextAgentTask,
      },
    }),
    errors: ['run_not_found', 'not_pull_mode'],
    detail: {
      summary: 'Fetch the next task of an agent run',
      description:
        'One task is open at a time: repeating the request returns it until it has ended with `task_finish` or the last call of its budget. The first task starts the run, which is then charged. Each task adds 30 seconds for each call of its budget to the time of the run, whose end ends the run. A run whose first task is not fetched within 24 hours is refunded.',
    },
  })
  .post(
    '/v1/agent-runs/:id/tasks/:n/calls',
    async ({ ctx, params, body }) => {
      const { result, callsLeft } = await makeAgentCall(ctx, {
        runId: params.id,
        n: params.n,
        callId: body.call_id,
        tool: body.tool,
        args: body.args,
      });
      return { result, calls_left: callsLeft };
    },
    {
      agent: true,
      params: input(
        object({
          id: uuid('The id of one of your agent runs.'),
          n: Type.Integer({ minimum: 1, maximum: 1_000, description: 'The number of the task.' }),
        }),
      ),
      body: input(
        component(
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
      ),
      bodyMaxBytes: callMaxBytes,
      response: replies({
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
      }),
      errors: [
        'run_not_found',
        'not_pull_mode',
        'task_not_found',
        'task_ended',
        'budget_exhausted',
        'call_id_reused',
      ],
      once: 'transaction',
      detail: {
        summary: 'Call a tool in a task of an agent run',
        description:
          'An unknown tool, wrong arguments and an unknown id return a `result` with `error` and `message`, and count as a call. A repeated `call_id` returns the result of the first call and does not count, even after the task has ended.',
      },
    },
  )
  .get(
    '/v1/agent-runs',
    async ({ ctx, query, request }) => {
      const page = await listRuns(ctx, {
        product: 'agent-run',
        ...pageAsked(query),
      });
      return pageResponse(request, page, { agent_runs: page.items.map(showAgentRun) });
    },
    {
      agent: true,
      query: input(object(paging())),
      response: replies({
        200: {
          description: 'A page of your agent runs.',
          schema: component(
            'AgentRunList',
            object({ agent_runs: Type.Array(AgentRun), next_cursor: nextCursor() }),
          ),
        },
      }),
      detail: { summary: 'List your agent runs, newest first' },
    },
  )
  .get(
    '/v1/agent-runs/:id',
    async ({ ctx, params }) => {
      const shown = await readAgentRun(ctx, { runId: params.id });
      return { agent_run: showAgentRun(shown.run), scorecard: showAgentRunCard(shown) };
    },
    {
      agent: true,
      params: input(agentRunKey),
      response: replies({
        200: {
          description: 'The run, and its scorecard with every call.',
          schema: AgentRunResponse,
        },
      }),
      errors: ['run_not_found'],
      detail: {
        summary: 'Get an agent run with its scorecard',
        description: 'The scorecard appears once the run has completed.',
      },
    },
  );

/** Only MCP serves it, at the address of the run. */
const officeRoutes = new Elysia({ tags: ['agent runs'] }).use(edge).post(
  officeMcpPath,
  async ({ ctx, params, body }) => {
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
  {
    agent: true,
    params: input(agentRunKey),
    body: input(
      object({
        call_id: nullable(callId('The id of the call within the run.')),
        tool: line({ max: 200 }),
        args: Type.Record(Type.String(), Type.Unknown()),
      }),
    ),
    bodyMaxBytes: callMaxBytes,
    response: replies({
      200: {
        description: 'The result of the tool, and the next task if this call ended one.',
        schema: object({
          task: Type.Integer({ minimum: 1 }),
          result: ToolResult,
          calls_left: Type.Integer({ minimum: 0 }),
          next: Type.Optional(NextAgentTask),
        }),
      },
    }),
    errors: [
      'run_not_found',
      'not_pull_mode',
      'task_not_found',
      'task_ended',
      'budget_exhausted',
      'call_id_reused',
    ],
    detail: { summary: 'Call a tool in the open task of an agent run' },
  },
);

const nextTask = operationAt(taskRoutes, 'GET /v1/agent-runs/:id/tasks/next');
export const listAgentRuns = operationAt(taskRoutes, 'GET /v1/agent-runs');
export const showRun = operationAt(taskRoutes, 'GET /v1/agent-runs/:id');
const callInOpenTask = operationAt(officeRoutes, `POST ${officeMcpPath}`);

/** What the MCP server of a run calls. */
export const officeEndpoints = { nextTask, callInOpenTask };
