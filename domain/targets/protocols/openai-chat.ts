/** Chat completions, `openai-chat`: what most servers of models speak. */
import { dataUrlOf } from '#evals/own-suite/images.ts';
import type { Tool } from '#evals/worlds/world.ts';
import type { Protocol } from '../protocol.ts';
import { fieldOf, isGiven } from '../read-json.ts';
import { type GivenCall, imagesOf, listedCalls, type ToolMessage, toolMessageOf } from '../tool-calls.ts';

export const openaiChat: Protocol = {
  name: 'openai-chat',
  label: 'OpenAI chat completions',
  about: 'It posts `{model, messages}` and expects `choices[0].message.content`.',
  expected: 'status 200 with JSON {"choices": [{"message": {"content": "…"}}]}',
  replyIs: 'an OpenAI-style chat completion',
  path: '/chat/completions',
  offersTools: true,
  ask: {
    body: ({ model, messages, system = null, tools = [] }) => ({
      ...(model === null ? {} : { model }),
      messages: [
        ...(system === null ? [] : [{ role: 'system', content: system }]),
        ...messages.map(toolMessageOf).map(withParts),
      ],
      ...declared(tools),
    }),
    read: (value) => {
      const message = firstMessageOf(value);
      if (message === null) return null;
      const content = fieldOf(message, 'content') ?? null;
      // A message with only reasoning is no reply.
      const isThought = ['reasoning_content', 'reasoning'].some((name) => isGiven(fieldOf(message, name)));
      const text = content || fieldOf(message, 'refusal') || (isThought ? null : content);
      return text === null || typeof text === 'string' ? { text, calls: givenCalls(message) } : null;
    },
  },
};

/** A text alone stays a text, which every server reads. */
function withParts(message: ToolMessage): object {
  const images = imagesOf(message);
  if (images.length === 0) return message;
  const { role, content } = message;
  const parts = images.map((image) => ({ type: 'image_url', image_url: { url: dataUrlOf(image) } }));
  return { role, content: [{ type: 'text', text: content }, ...parts] };
}

function declared(tools: readonly Tool[]) {
  if (tools.length === 0) return {};
  return { tools: tools.map((tool) => ({ type: 'function', function: tool })) };
}

function givenCalls(message: object): GivenCall[] | null {
  const calls = listedCalls(message)?.map((call) => {
    const called = fieldOf(call, 'function');
    const [name, args] = [fieldOf(called, 'name'), fieldOf(called, 'arguments')];
    return { id: fieldOf(call, 'id'), name, arguments: args };
  });
  return calls ?? null;
}

/** @returns null if the value is not a chat completion */
function firstMessageOf(value: unknown): object | null {
  const choices = fieldOf(value, 'choices');
  const message = fieldOf(Array.isArray(choices) ? choices[0] : null, 'message');
  return typeof message === 'object' ? message : null;
}
