/** Anthropic's Messages API, `anthropic-messages`. */
import { fieldsOf, parseExactJson } from '#evals/own-suite/exact-json.ts';
import type { ConversationMessage, Tool } from '#evals/worlds/world.ts';
import { jsonIn } from '#runtime/json-in.ts';
import type { Protocol } from '../protocol.ts';
import { fieldOf } from '../read-json.ts';
import { type GivenCall, imagesOf, type ToolMessage, toolMessageOf } from '../tool-calls.ts';

const headers = { 'anthropic-version': '2023-06-01' };
/** The API requires a limit. */
const replyTokensMax = 8_192;

export const anthropicMessages: Protocol = {
  name: 'anthropic-messages',
  label: 'Anthropic messages',
  about:
    'It posts `{model, max_tokens, messages}` with `anthropic-version` and reads the texts of `content`.',
  expected: 'status 200 with JSON {"type": "message", "content": [{"type": "text", "text": "…"}]}',
  replyIs: 'a message of the Anthropic Messages API',
  path: '/messages',
  offersTools: true,
  ask: {
    headers,
    body: ({ model, messages, system = null, tools = [] }) => ({
      ...settings(model),
      ...(system === null ? {} : { system }),
      messages: messages.some(needsBlocks) ? inTurns(messages.map(toolMessageOf).map(turnOf)) : messages,
      ...declared(tools),
    }),
    read: (value) => {
      const blocks = blocksOf(value);
      return blocks === null ? null : { text: saidIn(blocks), calls: callsIn(blocks) };
    },
  },
};

/** Plain texts suffice without. */
function needsBlocks(message: ConversationMessage): boolean {
  return (
    message.role === 'tool' ||
    imagesOf(message).length > 0 ||
    (message.role === 'assistant' && message.calls !== undefined)
  );
}

function declared(tools: readonly Tool[]): object {
  if (tools.length === 0) return {};
  return {
    tools: tools.map(({ name, description, parameters }) => ({
      name,
      description,
      input_schema: parameters,
    })),
  };
}

function callsIn(blocks: readonly unknown[]): GivenCall[] {
  return blocks
    .filter((block) => fieldOf(block, 'type') === 'tool_use')
    .map((block) => ({
      id: fieldOf(block, 'id'),
      name: fieldOf(block, 'name'),
      arguments: fieldOf(block, 'input'),
    }));
}

function settings(model: string | null): object {
  return { ...(model === null ? {} : { model }), max_tokens: replyTokensMax };
}

interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: readonly object[];
}

function turnOf(message: ToolMessage): Turn {
  switch (message.role) {
    case 'system':
    case 'user':
      return {
        role: 'user',
        content: [
          ...imagesOf(message).map(({ type, base64 }) => ({
            type: 'image',
            source: { type: 'base64', media_type: type, data: base64 },
          })),
          { type: 'text', text: message.content },
        ],
      };
    case 'tool': {
      const { tool_call_id: id, content } = message;
      return { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] };
    }
    case 'assistant':
      return {
        role: 'assistant',
        content: [
          ...(message.content === null ? [] : [{ type: 'text', text: message.content }]),
          ...(message.tool_calls ?? []).map(({ id, function: { name, arguments: text } }) => ({
            type: 'tool_use',
            id,
            name,
            input: objectIn(text),
          })),
        ],
      };
  }
}

/** The API requires that the roles alternate, and that all results of a turn are in the next one. */
function inTurns(turns: readonly Turn[]): readonly Turn[] {
  const merged: Turn[] = [];
  for (const turn of turns) {
    const last = merged.at(-1);
    if (last?.role === turn.role)
      merged.splice(-1, 1, { ...last, content: [...last.content, ...turn.content] });
    else merged.push(turn);
  }
  return merged;
}

/** The API refuses any other input, which a tool has rejected already. */
function objectIn(text: string): object {
  return jsonIn(text) === undefined ? {} : fieldsOf(parseExactJson(text));
}

function blocksOf(value: unknown): readonly unknown[] | null {
  const content = fieldOf(value, 'content');
  return fieldOf(value, 'type') === 'message' && Array.isArray(content) ? content : null;
}

/** Null if no text came. */
function saidIn(blocks: readonly unknown[]): string | null {
  const texts = blocks
    .filter((block) => fieldOf(block, 'type') === 'text')
    .map((block) => fieldOf(block, 'text'))
    .filter((text) => typeof text === 'string');
  return texts.length === 0 ? null : texts.join('');
}
