/**
 * Stand-ins for servers of models, written from the public references of their APIs. They refuse requests that those
 * APIs refuse: a missing header or limit, roles that do not alternate, results without their calls.
 */
import type { WeekCall } from '#evals/week/week.ts';
import { retell } from './retell.ts';
import { serveLocally } from './serve-locally.ts';

export type ModelServer = ReturnType<typeof startModelServer>;

// oxlint-disable-next-line typescript/no-explicit-any -- the servers check what they read
type Body = Record<string, any>;

/** Every reply reports this. */
export const reportedUsage = { input_tokens: 7, output_tokens: 3 };
const key = 'sk-test-1';
export const modelHeaders = { authorization: `Bearer ${key}` };

interface Form {
  readonly path: string;
  /** @returns what is wrong with the request; null if nothing is */
  refuse(body: Body, headers: Headers): string | null;
  /** The texts of the conversation, without the tool calls. */
  said(body: Body): readonly { role: 'user' | 'assistant'; content: string }[];
  /** The results of tools in the request, as the model reads them. */
  results(body: Body): readonly string[];
  text(content: string): object;
  calls(calls: readonly WeekCall[], first: number): object;
}

/** Contents are texts, lists of parts, or null. */
function textOf(content: string | readonly Body[] | null | undefined): string {
  return typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join('');
}

function saidIn(turns: readonly Body[]): ReturnType<Form['said']> {
  return turns
    .filter(({ role }) => role === 'user' || role === 'assistant')
    .map(({ role, content }) => ({ role, content: textOf(content) }));
}

const chat: Form = {
  path: '/v1/chat/completions',
  refuse: ({ model, messages: turns, tools = [] }) => {
    if (typeof model !== 'string') return 'you must provide a model parameter';
    const open = new Set<string>();
    for (const { role, tool_calls: called = [], tool_call_id: answered, content } of turns as Body[]) {
      if (role === 'tool' ? !open.delete(answered) : open.size > 0)
        return "messages with role 'tool' must respond to all preceding 'tool_calls'";
      if ((content ?? null) === null && called.length === 0) return 'content is required';
      for (const { id } of called as Body[]) open.add(id);
    }
    const isTool = ({ type, function: named }: Body) => type === 'function' && typeof named.name === 'string';
    return open.size === 0 && (tools as Body[]).every(isTool) ? null : 'Invalid tools.';
  },
  said: ({ messages: turns }) => saidIn(turns),
  results: ({ messages: turns }) =>
    (turns as Body[]).filter(({ role }) => role === 'tool').map(({ content }) => textOf(content)),
  text: (content) => completion({ role: 'assistant', content, refusal: null }, 'stop'),
  calls: (calls, first) =>
    completion(
      {
        role: 'assistant',
        content: null,
        tool_calls: calls.map(({ tool, args }, index) => {
          const named = { name: tool, arguments: JSON.stringify(args) };
          return { id: `call_${first + index}`, type: 'function', function: named };
        }),
      },
      'tool_calls',
    ),
};

function completion(said: object, finish_reason: string): object {
  const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
  const choices = [{ index: 0, message: said, finish_reason, logprobs: null }];
  return { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'm-1', choices, usage };
}

const spoken = { type: 'message', id: 'msg_1', status: 'completed', role: 'assistant' };

const responses: Form = {
  path: '/v1/responses',
  refuse: ({ model, input, tools = [] }) => {
    if (typeof model !== 'string') return 'Missing required parameter: model.';
    const called = new Set<string>();
    for (const item of input as Body[]) {
      if (item['type'] === 'function_call') called.add(item['call_id']);
      if (item['type'] === 'function_call_output' && !called.has(item['call_id']))
        return 'No tool call found for function call output.';
    }
    const isTool = (tool: Body) => tool['type'] === 'function' && typeof tool['name'] === 'string';
    return (tools as Body[]).every(isTool) ? null : 'Invalid tools.';
  },
  said: ({ input }) => saidIn(input),
  results: ({ input }) =>
    (input as Body[])
      .filter(({ type }) => type === 'function_call_output')
      .map(({ output }) => textOf(output)),
  text: (text) =>
    response([
      { type: 'reasoning', id: 'rs_1', summary: [] },
      { ...spoken, content: [{ type: 'output_text', text, annotations: [] }] },
    ]),
  calls: (calls, first) =>
    response(
      calls.map(({ tool: name, args }, index) => {
        const ids = { id: `fc_${first + index}`, call_id: `call_${first + index}` };
        return { type: 'function_call', ...ids, name, arguments: JSON.stringify(args) };
      }),
    ),
};

function response(output: readonly object[]): object {
  const usage = { ...reportedUsage, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 10 };
  const head = { id: 'resp_1', object: 'response', created_at: 1, model: 'm-1' };
  return { ...head, status: 'completed', error: null, incomplete_details: null, output, usage };
}

const messages: Form = {
  path: '/v1/messages',
  refuse: ({ model, max_tokens: limit, messages: turns, tools = [] }, headers) => {
    if (headers.get('anthropic-version') !== '2023-06-01') return 'anthropic-version: header is required';
    if (typeof model !== 'string' || !Number.isInteger(limit)) return 'model and max_tokens are required';
    for (const [index, { role, content }] of (turns as Body[]).entries()) {
      if (role !== (index % 2 === 0 ? 'user' : 'assistant')) return 'roles must alternate';
      const ids = (blocks: unknown, type: string, field: string) =>
        (Array.isArray(blocks) ? blocks : []).filter((one) => one.type === type).map((one) => one[field]);
      const called = ids((turns as Body[])[index - 1]?.['content'], 'tool_use', 'id');
      if (ids(content, 'tool_result', 'tool_use_id').join() !== called.join())
        return 'tool_use ids were found without tool_result blocks immediately after';
    }
    return (tools as Body[]).every((tool) => typeof tool['input_schema'] === 'object') ? null : 'tools';
  },
  said: ({ messages: turns }) => saidIn(turns),
  results: ({ messages: turns }) =>
    (turns as Body[])
      .flatMap(({ content }) => (Array.isArray(content) ? content : []))
      .filter(({ type }) => type === 'tool_result')
      .map(({ content }) => textOf(content)),
  text: (text) => message([{ type: 'text', text }], 'end_turn'),
  calls: (calls, first) =>
    message(
      calls.map(({ tool: name, args: input }, index) => {
        return { type: 'tool_use', id: `toolu_${first + index}`, name, input };
      }),
      'tool_use',
    ),
};

function message(content: readonly object[], stop_reason: string): object {
  const usage = { input_tokens: 5, cache_read_input_tokens: 2, output_tokens: 3 };
  return { id: 'msg_1', type: 'message', role: 'assistant', model: 'm-1', content, stop_reason, usage };
}

export const modelForms = {
  'openai-chat': chat,
  'openai-responses': responses,
  'anthropic-messages': messages,
} as const;

/** Calls to make two at a time, or what decides from the results so far; no calls end the conversation. */
type Plan = readonly WeekCall[] | ((results: readonly string[]) => readonly WeekCall[]);

/**
 * Answers prompts with what it has heard, and makes the calls of a plan before it says the last words.
 *
 * @param planOf the plan for the prompt of a task; null for other prompts
 */
export function startModelServer(
  name: keyof typeof modelForms,
  planOf: (prompt: string) => Promise<Plan | null> = () => Promise.resolve(null),
  lastWords: string | null = null,
) {
  const form = modelForms[name];
  /** Of the requests that were accepted. */
  const bodies: Body[] = [];
  const plans = new Map<string, Plan | null>();
  const server = serveLocally(async (request) => {
    if (new URL(request.url).pathname !== form.path) return new Response('Not found', { status: 404 });
    if (request.headers.get('authorization') !== modelHeaders.authorization)
      return Response.json({ error: { message: 'Incorrect API key.' } }, { status: 401 });
    const body = (await request.json()) as Body;
    const problem = form.refuse(body, request.headers);
    if (problem !== null) return Response.json({ error: { message: problem } }, { status: 400 });
    bodies.push(body);
    const said = form.said(body);
    const prompt = said.find(({ role }) => role === 'user')?.content ?? '';
    if (!plans.has(prompt)) plans.set(prompt, await planOf(prompt));
    const plan = plans.get(prompt) ?? null;
    const results = form.results(body);
    const made = results.length;
    const calls = typeof plan === 'function' ? plan(results) : plan?.slice(made, made + 2);
    const isOver = calls === undefined || calls.length === 0;
    return Response.json(isOver ? form.text(lastWords ?? retell(said)) : form.calls(calls, made));
  });
  return { ...server, url: `${server.origin}${form.path}`, bodies };
}
