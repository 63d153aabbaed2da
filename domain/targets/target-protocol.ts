/**
 * The two protocols for calling a target. `hub` posts `{prompt, messages}` and reads `{text}`; `openai-chat` posts
 * `{model, messages}` and reads `choices[0].message.content`.
 */
import type { TargetSettings } from '#db/schema/run-tables.ts';
import type { Redact } from './redact-secrets.ts';

/** For the guides, the API reference and the forms of the site. A test measures the points. */
export const hubProtocol =
  'The hub posts `{prompt, messages}` and expects `{text}`. `messages` is the whole conversation, as `{role, content}`; `prompt` is its last message. An agent that reads only `prompt` loses about 10 of 100 points, because some cases depend on earlier turns.';

export interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

type Protocol = TargetSettings['protocol'];

export interface ReplyFault {
  readonly ok: false;
  readonly problem: string;
  readonly excerpt: string;
}

export type ReadReply = { readonly ok: true; readonly text: string } | ReplyFault;

const excerptCharacters = 500;

export function requestBody(call: {
  readonly protocol: Protocol;
  readonly model: string | null;
  readonly messages: readonly Message[];
}): string {
  const { protocol, model, messages } = call;
  switch (protocol) {
    case 'hub':
      return JSON.stringify({ prompt: messages.at(-1)?.content, messages });
    case 'openai-chat':
      return JSON.stringify({ ...(model === null ? {} : { model }), messages });
  }
}

export function expectedReply(protocol: Protocol): string {
  switch (protocol) {
    case 'hub':
      return 'status 200 with JSON {"text": "…"}';
    case 'openai-chat':
      return 'status 200 with JSON {"choices": [{"message": {"content": "…"}}]}';
  }
}

export function readReply(
  protocol: Protocol,
  body: Uint8Array,
  contentType: string,
  redact: Redact,
): ReadReply {
  const value = parseJson(body);
  const texts = { hub: textOfHub(value), 'openai-chat': textOfChat(value) };
  const text = texts[protocol];
  if (text !== null) return { ok: true, text };
  const received = new TextDecoder().decode(body);
  const problem = problemOf(protocol, received, contentType, texts);
  return { ok: false, problem, excerpt: excerptOf(redact(received)) };
}

/** The beginning of a reply, for the owner of the target. */
export function excerptOf(received: string): string {
  return Array.from(received.slice(0, 2 * excerptCharacters))
    .slice(0, excerptCharacters)
    .join('')
    .replaceAll('\0', '\uFFFD');
}

function problemOf(
  protocol: Protocol,
  received: string,
  contentType: string,
  texts: Readonly<Record<Protocol, string | null>>,
): string {
  if (protocol === 'hub' && texts['openai-chat'] !== null)
    return 'The reply is an OpenAI-style chat completion. Redeem with `target.protocol` `openai-chat`.';
  if (protocol === 'openai-chat' && texts.hub !== null)
    return 'The reply has `text` and no `choices`. Redeem with `target.protocol` `hub`.';
  return unreadableProblem(received, contentType);
}

/** What is wrong with a reply that does not have the expected format. */
export function unreadableProblem(received: string, contentType: string): string {
  if (received.trim() === '') return 'The reply has an empty body.';
  if (contentType.startsWith('text/event-stream') || received.startsWith('data:'))
    return 'The reply is an event stream. Respond with one JSON object, without streaming.';
  if (received.trimStart().startsWith('<')) return 'The reply is an HTML page.';
  return 'The reply is not JSON in the expected format.';
}

/** Deeper values would exhaust the stack of the code that walks through them. */
const nestingMax = 256;

/** @returns null if the body is not JSON in UTF-8, or is nested too deep */
export function parseJson(body: Uint8Array): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    return nestingOf(text) > nestingMax ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

/** How deep the arrays and objects of a JSON text are nested. For other texts, the number means nothing. */
function nestingOf(text: string): number {
  let [deepest, open, isInString] = [0, 0, false];
  for (let index = 0; index < text.length; index += 1) {
    switch (text.charAt(index)) {
      case '"':
        isInString = !isInString;
        break;
      case '\\':
        index += 1;
        break;
      case '[':
      case '{':
        if (!isInString) deepest = Math.max(deepest, (open += 1));
        break;
      case ']':
      case '}':
        if (!isInString) open -= 1;
    }
  }
  return deepest;
}

function textOfHub(value: unknown): string | null {
  const text = fieldOf(value, 'text');
  return typeof text === 'string' ? text : null;
}

/** A message without content, such as a refusal, is an empty text. */
function textOfChat(value: unknown): string | null {
  const message = firstMessageOf(value);
  if (message === null) return null;
  const content = fieldOf(message, 'content') ?? '';
  return typeof content === 'string' ? content : null;
}

/** @returns null if the value is not a chat completion */
export function firstMessageOf(value: unknown): object | null {
  const choices = fieldOf(value, 'choices');
  const message = fieldOf(Array.isArray(choices) ? choices[0] : null, 'message');
  return typeof message === 'object' ? message : null;
}

export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : null;
}
