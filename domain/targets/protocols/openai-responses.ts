/** OpenAI's Responses API, `openai-responses`. The whole conversation is sent each time; nothing is stored there. */
import { dataUrlOf } from '#evals/own-suite/images.ts';
import type { Tool } from '#evals/worlds/world.ts';
import type { Protocol } from '../protocol.ts';
import { fieldOf, listOf, textIn, textOf } from '../read-json.ts';
import { type GivenCall, imagesOf, type ToolMessage, toolMessageOf } from '../tool-calls.ts';

export const openaiResponses: Protocol = {
  name: 'openai-responses',
  label: 'OpenAI responses',
  about: 'It posts `{model, input}` and reads the texts of `output`.',
  expected:
    'status 200 with JSON {"output": [{"type": "message", "content": [{"type": "output_text", "text": "…"}]}]}',
  replyIs: 'a response of the OpenAI Responses API',
  path: '/responses',
  offersTools: true,
  ask: {
    body: ({ model, messages, system = null, tools = [] }) => ({
      ...(model === null ? {} : { model }),
      ...(system === null ? {} : { instructions: system }),
      input: messages.map(toolMessageOf).flatMap(itemsOf),
      ...declared(tools),
    }),
    read: (value) => {
      const output = outputOf(value);
      if (output === null) return null;
      const problem = problemOf(value);
      return problem === null ? { text: saidIn(output), calls: callsIn(output) } : { problem };
    },
  },
};

function declared(tools: readonly Tool[]): object {
  return tools.length === 0 ? {} : { tools: tools.map((tool) => ({ type: 'function', ...tool })) };
}

function callsIn(output: readonly unknown[]): GivenCall[] {
  return output
    .filter((item) => ['function_call', 'custom_tool_call'].includes(textIn(item, 'type')))
    .map((item) => ({
      id: fieldOf(item, 'call_id') ?? fieldOf(item, 'id'),
      name: fieldOf(item, 'name'),
      arguments: fieldOf(item, 'arguments') ?? fieldOf(item, 'input'),
    }));
}

function itemsOf(message: ToolMessage): readonly object[] {
  switch (message.role) {
    case 'system':
    case 'user': {
      const images = imagesOf(message);
      const { role, content } = message;
      if (images.length === 0) return [{ role, content }];
      const parts = images.map((image) => ({ type: 'input_image', image_url: dataUrlOf(image) }));
      return [{ role, content: [{ type: 'input_text', text: content }, ...parts] }];
    }
    case 'tool':
      return [{ type: 'function_call_output', call_id: message.tool_call_id, output: message.content }];
    case 'assistant':
      return [
        ...(message.content === null ? [] : [{ role: 'assistant', content: message.content }]),
        ...(message.tool_calls ?? []).map(({ id, function: called }) => ({
          type: 'function_call',
          call_id: id,
          ...called,
        })),
      ];
  }
}

function outputOf(value: unknown): readonly unknown[] | null {
  const output = fieldOf(value, 'output');
  return Array.isArray(output) ? output : null;
}

/** A cut-off response (`incomplete`) counts as it is. */
function problemOf(value: unknown): string | null {
  const status = fieldOf(value, 'status');
  switch (status) {
    case 'failed': {
      const message = textOf(fieldOf(fieldOf(value, 'error'), 'message'));
      return `The response has the status \`failed\`${message === null ? '.' : `: ${message}`}`;
    }
    case 'queued':
    case 'in_progress':
      return `The response has the status \`${status}\`. Respond once it has completed, not in the background.`;
    case 'cancelled':
      return 'The response has the status `cancelled`.';
    default:
      return null;
  }
}

/** Null if no text came. A refusal is one. */
function saidIn(output: readonly unknown[]): string | null {
  const texts = output
    .filter((item) => fieldOf(item, 'type') === 'message')
    .flatMap((item) => listOf(fieldOf(item, 'content')))
    .map((part) => fieldOf(part, fieldOf(part, 'type') === 'refusal' ? 'refusal' : 'text'))
    .filter((text) => typeof text === 'string');
  return texts.length === 0 ? null : texts.join('');
}
