/**
 * The MCP server of an agent run: the tools of the office and `get_task`. A call acts on the open task, and the result
 * of the call that ends a task contains the next one.
 */
import { type CallToolResult, type McpServerFactory, Server } from '@modelcontextprotocol/server';
import { weekTools } from '#evals/week/tools/tools.ts';
import type { NameOperation } from '#domain/operation.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Stages } from '../stages.ts';
import { type CallEndpoint, type Carrier, createCallEndpoint, createCountUnserved } from './call-endpoint.ts';
import { nameRoute } from '../openapi/operation-ids.ts';
import { wordsFor, unknownName } from './name-tools.ts';
import { refusedResult, resultOf } from './run-tool.ts';
import { readsStructured } from './structured-readers.ts';

export interface OfficeEndpoints {
  readonly nextTask: Endpoint;
  readonly callInOpenTask: Endpoint;
}

const instructions =
  'A simulated working week in an office, in which an AI agent is tested. Call get_task, use the other tools to do what its prompt asks as the manual says, and end it with task_finish, which returns the next task. Repeat until ended is true. Each task has a budget of calls.';
/** The tools change only with a new version of the hub. */
const listCachedMs = 60 * 60 * 1_000;
const taskTool = 'get_task';

const callIdProperty = {
  type: 'string',
  maxLength: 200,
  description: 'Optional id of this call, unique within the run. Reuse it to retry the call safely.',
};

const getTask = {
  name: taskTool,
  description:
    'Get the open task: what a colleague asks for, and how the work is judged. The first task starts the run.',
  inputSchema: { type: 'object' as const, properties: {}, additionalProperties: false },
  annotations: { readOnlyHint: false },
};

const listed = [
  getTask,
  ...weekTools.map(({ name, description, parameters, writes }) => ({
    name,
    description,
    inputSchema: {
      type: 'object' as const,
      properties: { ...parameters.properties, call_id: callIdProperty },
      ...(parameters.required === undefined ? {} : { required: [...parameters.required] }),
      additionalProperties: false,
    },
    annotations: { readOnlyHint: !writes && name !== 'task_finish' },
  })),
];
const toolNames = new Set(listed.map(({ name }) => name));

/** How hints name operations: the hub's own tools are not here. */
const nameTool: NameOperation = (name) => (name === 'getAgentRunsByIdTasksNext' ? taskTool : wordsFor(name));

export function createOfficeServers(stages: Stages, endpoints: OfficeEndpoints): McpServerFactory {
  const callEndpoint = createCallEndpoint(stages, nameTool);
  const countUnserved = createCountUnserved(stages);
  return ({ requestInfo }) => {
    const server = new Server(
      { name: 'agent-hub-office', title: 'Agent Hub office', version: stages.deps.version },
      {
        capabilities: { tools: {} },
        instructions,
        cacheHints: { 'tools/list': { ttlMs: listCachedMs, cacheScope: 'public' } },
      },
    );
    server.setRequestHandler('tools/list', () => ({ tools: listed }));
    server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
      if (requestInfo === undefined) throw new Error('MCP messages arrive over HTTP.');
      const carrier = { request: requestInfo, signal: mcpReq.signal };
      if (!toolNames.has(params.name)) {
        const limited = await countUnserved(carrier);
        if (limited !== null) return refusedResult(limited, nameRoute);
        throw unknownName('tool', params.name, [...toolNames]);
      }
      const reads = readsStructured(requestInfo, mcpReq.envelope);
      const call = { callEndpoint, endpoints, carrier, readsStructured: reads };
      return callTool(call, params.name, params.arguments ?? {});
    });
    return server;
  };
}

interface OfficeCall {
  readonly callEndpoint: CallEndpoint;
  readonly endpoints: OfficeEndpoints;
  readonly carrier: Carrier;
  readonly readsStructured: boolean;
}

/** The body of `tasks/next`. After a call, `task` is the number of its task. */
interface NextTask {
  readonly task?: { readonly tools?: unknown } | number | null;
}

async function callTool(
  { callEndpoint, endpoints, carrier, readsStructured: reads }: OfficeCall,
  tool: string,
  given: Readonly<Record<string, unknown>>,
): Promise<CallToolResult> {
  const id = runIdOf(carrier.request);
  const { call_id = null, ...args } = given;
  const outcome =
    tool === taskTool
      ? await callEndpoint(carrier, { endpoint: endpoints.nextTask }, { id })
      : await callEndpoint(carrier, { endpoint: endpoints.callInOpenTask }, { id, call_id, tool, args });
  // Both endpoints return an object with `task`, and errors have none.
  if ('error' in outcome) return refusedResult(outcome.error, outcome.nameOf);
  return resultOf(withoutTools(outcome.body as NextTask), reads);
}

/** The path is `/v1/agent-runs/{id}/mcp`. */
function runIdOf(request: Request): string {
  return decodeURIComponent(new URL(request.url).pathname.split('/').at(-2) ?? '');
}

/** A task without its tools, which `tools/list` has. */
function withoutTools(body: NextTask & { readonly next?: NextTask }): object {
  const { task, next, ...rest } = body;
  return {
    ...rest,
    ...(task === undefined ? {} : { task: shortTask(task) }),
    ...(next === undefined ? {} : { next: withoutTools(next) }),
  };
}

function shortTask(task: NextTask['task']): unknown {
  if (typeof task !== 'object' || task === null) return task;
  const { tools: _, ...rest } = task;
  return rest;
}
