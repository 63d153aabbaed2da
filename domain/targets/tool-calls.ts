/** Reads the replies of OpenAI-style targets with tools: `choices[0].message.tool_calls`. */
import type { Redact } from './redact-secrets.ts';
import {
  excerptOf,
  fieldOf,
  firstMessageOf,
  parseJson,
  type ReplyFault,
  unreadableProblem,
} from './target-protocol.ts';

export type ToolMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string | null; readonly tool_calls: readonly object[] }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string };

export interface AskedCall {
  /** The target's id for the call. */
  readonly id: string;
  readonly tool: string;
  /** The text itself if it is not JSON that can be stored; the tool rejects it. */
  readonly args: unknown;
}

export interface ToolReply {
  readonly ok: true;
  /** The text that accompanies the calls. */
  readonly said: string | null;
  /** Empty if the target makes no calls. */
  readonly calls: readonly AskedCall[];
}

export const expectedToolReply =
  'status 200 with JSON {"choices": [{"message": {"tool_calls": [{"id": "…", "type": "function", "function": {"name": "…", "arguments": "{…}"}}]}}]}';

/** A task allows fewer. */
const callsMax = 64;
const nameMax = 200;
const saidMax = 8_000;
const nestingMax = 32;

export function readToolReply(body: Uint8Array, contentType: string, redact: Redact): ToolReply | ReplyFault {
  const value = parseJson(body);
  const message = firstMessageOf(value);
  const calls = readCalls(fieldOf(message, 'tool_calls'), redact);
  if (message !== null && calls !== null) return { ok: true, said: readSaid(message, redact), calls };
  const received = new TextDecoder().decode(body);
  const problem =
    message !== null
      ? 'The `tool_calls` of the reply do not have the expected format.'
      : typeof fieldOf(value, 'text') === 'string'
        ? 'The reply has `text` and no `choices`. Agent runs call OpenAI-style targets that use tools.'
        : unreadableProblem(received, contentType);
  return { ok: false, problem, excerpt: excerptOf(redact(received)) };
}

function readSaid(message: object, redact: Redact): string | null {
  const content = fieldOf(message, 'content');
  return typeof content === 'string' && content !== ''
    ? storable(redact(content)).slice(0, saidMax).toWellFormed()
    : null;
}

function readCalls(given: unknown, redact: Redact): readonly AskedCall[] | null {
  if (given === null || given === undefined) return [];
  if (!Array.isArray(given) || given.length > callsMax) return null;
  const calls = given.map((call, index) => readCall(call, index, redact));
  return calls.every((call) => call !== null) ? calls : null;
}

function readCall(given: unknown, index: number, redact: Redact): AskedCall | null {
  const called = fieldOf(given, 'function');
  const name = fieldOf(called, 'name');
  const id = fieldOf(given, 'id');
  if (typeof name !== 'string') return null;
  return {
    id: typeof id === 'string' && id !== '' ? shortName(redact(id)) : `call-${index + 1}`,
    tool: shortName(redact(name)),
    args: readArguments(fieldOf(called, 'arguments'), redact),
  };
}

/** Some servers send an object instead of a JSON text. Escapes are read before the text is redacted. */
function readArguments(given: unknown, redact: Redact): unknown {
  const text = typeof given === 'string' ? given : JSON.stringify(given ?? {});
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (isStorable(value, nestingMax)) return JSON.parse(redact(JSON.stringify(value)));
  } catch {
    // The tool reports the error.
  }
  return storable(redact(text));
}

function shortName(text: string): string {
  return storable(text.slice(0, nameMax));
}

/** Postgres accepts neither NUL nor lone surrogates. */
function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}

function isStorable(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return value === storable(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth === 0) return false;
  return Object.entries(value).every(([key, inner]) => key === storable(key) && isStorable(inner, depth - 1));
}
