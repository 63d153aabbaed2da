/**
 * A model behind the harnesses of others: a server of chat completions that does what the health check asks, calls tools,
 * and refuses what such servers refuse.
 */
import { healthyReply } from '#test/evals/health/healthy-agent.ts';
import { type Message, toolAgent } from '#test/evals/health/tool-agent.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- requests come from the SDKs of others
type Untyped = any;

const charactersPerToken = 4;

/** @returns where it listens, as a base URL of an SDK */
export function startHarnessModel(): { readonly url: string; stop(): Promise<void> } {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    maxRequestBodySize: 10_000_000,
    fetch: async (request) => {
      const body: Untyped = await request.json();
      const refusal = whyRefused(body.messages);
      if (refusal !== null) return Response.json({ error: { message: refusal } }, { status: 400 });
      return Response.json(complete(body));
    },
  });
  return { url: `http://127.0.0.1:${server.port}/v1`, stop: () => server.stop(true) };
}

function whyRefused(messages: readonly Untyped[]): string | null {
  if (messages.length === 0) return "[] is too short - 'messages'";
  const open = new Set<string>();
  for (const { role, tool_calls: calls = [], tool_call_id: id } of messages) {
    if (role === 'tool' && !open.delete(id))
      return "messages with role 'tool' must follow their 'tool_calls'";
    if (role !== 'tool' && open.size > 0) return "'tool_calls' must be followed by messages for each";
    for (const call of calls ?? []) open.add(call.id);
  }
  return open.size === 0 ? null : "'tool_calls' must be followed by messages for each";
}

function complete({ messages, tools = [], max_tokens, max_completion_tokens }: Untyped): object {
  const said: Untyped[] = messages.filter(({ role }: Untyped) => role !== 'system' && role !== 'developer');
  const { text, calls } =
    tools.length > 0 ? toolAgent(said.map(messageOf)) : { text: healthyReply(said.map(textOf)), calls: [] };
  const most = (max_tokens ?? max_completion_tokens ?? Infinity) * charactersPerToken;
  const tool_calls = calls.map(({ id, name, arguments: given }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(given) },
  }));
  const isCut = (text ?? '').length > most;
  const message = {
    role: 'assistant',
    content: text === null ? null : text.slice(0, most),
    ...(tool_calls.length === 0 ? {} : { tool_calls }),
  };
  const finish_reason = isCut ? 'length' : tool_calls.length > 0 ? 'tool_calls' : 'stop';
  return {
    // Frameworks take messages with one id for one message.
    id: `chatcmpl-${crypto.randomUUID()}`,
    object: 'chat.completion',
    created: 1_900_000_000,
    model: 'm-1',
    choices: [{ index: 0, message, logprobs: null, finish_reason }],
    usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
  };
}

function contentOf(content: Untyped): string {
  return typeof content === 'string'
    ? content
    : (content ?? []).map(({ text = '' }: Untyped) => text).join('');
}

function textOf({ role, content }: Untyped) {
  return { role: role === 'user' ? ('user' as const) : ('assistant' as const), content: contentOf(content) };
}

function messageOf({ role, content, tool_calls, tool_call_id }: Untyped): Message {
  if (role === 'tool') return { role, id: tool_call_id, content: contentOf(content) };
  if (role === 'user') return { role, content: contentOf(content) };
  const calls = (tool_calls ?? []).map(({ id, function: called }: Untyped) => ({
    id,
    name: called.name,
    arguments: JSON.parse(called.arguments),
  }));
  return { role: 'assistant', step: { text: contentOf(content), calls } };
}
