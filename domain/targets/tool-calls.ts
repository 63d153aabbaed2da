/** The conversation and the calls of targets that work with tools, whatever their protocol. */
import { parseExactJson, writeExactJson } from '#evals/own-suite/exact-json.ts';
import { spokenText, withoutReasoning } from '#evals/own-suite/graders/spoken.ts';
import { dataUrlOf } from '#evals/own-suite/images.ts';
import { storable } from '#evals/safe-text.ts';
import {
  callsPerStepMax,
  type ConversationMessage,
  type SentImage,
  type ToolCall,
} from '#evals/worlds/world.ts';
import { fieldOf, isGiven } from './read-json.ts';
import type { Redact } from './redact-secrets.ts';

/** As chat completions have it; other protocols are made from it. */
export type ToolMessage =
  | {
      readonly role: 'system' | 'user';
      readonly content: string;
      readonly images?: readonly SentImage[];
    }
  | {
      readonly role: 'assistant';
      readonly content: string | null;
      readonly tool_calls?: readonly {
        readonly id: string;
        readonly type: 'function';
        /** The arguments are a JSON text. */
        readonly function: { readonly name: string; readonly arguments: string };
      }[];
    }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string };

export function toolMessageOf(message: ConversationMessage): ToolMessage {
  switch (message.role) {
    case 'user':
      return message;
    case 'tool':
      return { role: 'tool', tool_call_id: message.id, content: message.content };
    case 'assistant': {
      const { content, calls = [] } = message;
      if (calls.length === 0) return { role: 'assistant', content };
      return {
        role: 'assistant',
        content: content === '' ? null : content,
        tool_calls: calls.map(({ id, name, arguments: given }) => ({
          id,
          type: 'function',
          function: { name, arguments: typeof given === 'string' ? given : writeExactJson(given) },
        })),
      };
    }
  }
}

/** As agents get it that speak the hub's own protocol, or fetch their cases. */
export type PlainMessage =
  | {
      readonly role: 'user';
      readonly content: string;
      /** Data URLs. */
      readonly images?: readonly string[];
    }
  | { readonly role: 'assistant'; readonly content: string; readonly tool_calls?: readonly ToolCall[] }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string };

/** The images only if they have their bytes. */
export function plainMessageOf(message: ConversationMessage): PlainMessage {
  switch (message.role) {
    case 'user': {
      const { role, content } = message;
      const images = imagesOf(message).map(dataUrlOf);
      return { role, content, ...(images.length === 0 ? {} : { images }) };
    }
    case 'tool':
      return { role: 'tool', tool_call_id: message.id, content: message.content };
    case 'assistant': {
      const { content, calls = [] } = message;
      return { role: 'assistant', content, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
    }
  }
}

/** Those whose bytes are known. */
export function imagesOf(
  message: ToolMessage | ConversationMessage,
): readonly Required<Pick<SentImage, 'type' | 'base64'>>[] {
  if (message.role !== 'user' || message.images === undefined) return [];
  return message.images.flatMap(({ type, base64 }) => (base64 === undefined ? [] : [{ type, base64 }]));
}

/** The last message of the user: what an agent answers that reads nothing else. */
export function promptOf(messages: readonly ConversationMessage[]): string {
  return messages.findLast(({ role }) => role === 'user')?.content ?? '';
}

/** A tool call, unchecked, as a target, a submitted answer or an imported conversation gives it. */
export interface GivenCall {
  readonly id?: unknown;
  readonly name: unknown;
  readonly arguments?: unknown;
}

/** Graders would take such a reply for one without calls. */
export const unreadCall =
  'The reply has a tool call that does not have the expected format, in its text or in another field.';

/** Calls in the JSON of SDKs, also as Python prints it. */
const bareCalls =
  /(["'])(?:tool_?calls?|function_?call|tool_?use)\1\s*:\s*(?!\s|\[\s*\]|\{\s*\}|\(\s*\)|''|""|["']?(?:null|none|false|true)\b|[\d-])|(["'])type\2\s*:\s*(["'])(?:tool[_-](?:call|use)|(?:function|custom_tool)_call)\3|(["'])(?:name|tool|tool_?name)\4\s*:\s*(["'])[\w.-]+\5\s*,\s*(["'])(?:arguments|parameters|args|tool_?input)\6\s*:\s*(?:(?:["']\s*)?\{(?!\s*["']type["']\s*:\s*["']object["']\s*(?:\}|,\s*["'](?:properties|required|additionalProperties|description|title)["']))|(?:["']\s*)?\[\s*\]|""|''|null|none)/i;
/** Calls in marks of models that their server did not parse. */
const markedCalls =
  /\[TOOL_CALLS\]|<(?:tool_call|function=|invoke name=)|<[|｜](?:python_tag|tool[_▁]call)|to=functions\./i;

/** They count in reasoning, too: a thought that only mentions a call does not write all of this. */
const wholeCalls = /<\|channel\|>commentary to=functions\.|<tool_call>\s*(?:\{\s*"|<function=)/i;

/** A line that is not one of JSON with names. */
const otherLine = /^(?![ \t]*["'[{].*[\]}{[,"'][ \t]*$).+$/gm;

/** JSON in a line of prose is a quotation, unless it ends the reply. */
export function hasUnreadCall(reply: string): boolean {
  // Control tokens of this form are removed.
  const text = reply.replaceAll(/<\|(?=python_tag|tool_call)/gi, '<｜');
  const said = spokenText(withoutReasoning(text.trimEnd()) || text);
  const lines = said.replaceAll(/(?:```|~~~)\w*/g, '\n').trimEnd();
  const isAtEnd = /[\]}]$/.test(lines.slice(-1));
  return (
    wholeCalls.test(text) ||
    markedCalls.test(said) ||
    bareCalls.test(isAtEnd ? lines : lines.replaceAll(otherLine, '…'))
  );
}

/** @returns null if they are not a list, or in fields that no protocol reads */
export function listedCalls(fields: unknown): readonly unknown[] | null {
  const said = fieldOf(fields, 'tool_calls');
  if (isGiven(said)) return Array.isArray(said) ? said : null;
  const others = ['toolCalls', 'function_call', 'functionCall', 'toolUse'];
  return others.some((name) => isGiven(fieldOf(fields, name))) ? null : [];
}

const nameMax = 200;
/** OpenAI's models write it before the names of tools. */
const namespace = /^functions\./;
const nestingMax = 32;

/**
 * The calls have no secrets, because they are stored and sent again.
 * @returns null if one of them has no name, or there are too many
 */
export function readCalls(given: readonly GivenCall[], redact: Redact): readonly ToolCall[] | null {
  if (given.length > callsPerStepMax) return null;
  const calls = given.map((call, index) => readCall(call, index, redact));
  return calls.every((call) => call !== null) ? calls : null;
}

function readCall({ id, name, arguments: args }: GivenCall, index: number, redact: Redact): ToolCall | null {
  if (typeof name !== 'string') return null;
  return {
    id: typeof id === 'string' && id !== '' ? shortName(redact(id)) : `call-${index + 1}`,
    name: shortName(redact(name.replace(namespace, ''))),
    arguments: readArguments(args, redact),
  };
}

/**
 * Reads arguments that are a JSON text or an object. Escapes are read before the text is redacted. Arguments that cannot
 * be stored as JSON stay a text, and the tool rejects them.
 */
function readArguments(given: unknown, redact: Redact): unknown {
  const text = typeof given === 'string' ? given : JSON.stringify(given ?? {});
  if (text.trim() === '') return {};
  try {
    const value: unknown = parseExactJson(text);
    if (isStorable(value, nestingMax)) return JSON.parse(redact(JSON.stringify(value)));
  } catch {
    // The tool reports the error.
  }
  return storable(redact(text));
}

function shortName(text: string): string {
  return storable(text.slice(0, nameMax));
}

function isStorable(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return value === storable(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth === 0) return false;
  return Object.entries(value).every(([key, inner]) => key === storable(key) && isStorable(inner, depth - 1));
}
