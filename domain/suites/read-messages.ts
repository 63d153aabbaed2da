/** Reads the messages of chat APIs and of spans: texts, images, tool calls and their results. */
import type { SentMessage } from '#evals/own-suite/document.ts';
import { nameOf, type Path } from '#evals/own-suite/fault.ts';
import { faultOfImage } from '#evals/own-suite/images.ts';
import { maxMessageImages, maxPromptCharacters } from '#evals/own-suite/limits.ts';
import { imageOf } from '#evals/own-suite/import/imported.ts';
import { isFields } from '#evals/own-suite/exact-json.ts';
import { DomainError } from '../errors.ts';
import { fieldOf, listOf, parseJson, textIn } from '../targets/read-json.ts';

const roles: Readonly<Record<string, SentMessage['role']>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
};

type CaseCall = NonNullable<SentMessage['tool_calls']>[number];

/** The parts of one message: texts, images as data URLs, calls, and results of calls. */
interface Saying {
  readonly role: SentMessage['role'];
  readonly texts: readonly string[];
  readonly images: readonly string[];
  readonly calls: readonly CaseCall[];
  readonly results: readonly { readonly id: string; readonly content: string }[];
}

/**
 * The messages of any of the APIs, as a case has them. Calls that follow each other are of one message, and results come before
 * what the user adds to them.
 */
export function messagesIn(given: readonly unknown[], list: Path): readonly SentMessage[] {
  const messages: SentMessage[] = [];
  for (const [index, one] of given.entries()) {
    const { role, texts, images, calls, results } = sayingIn(one, [...list, index]);
    for (const { id, content } of results) messages.push({ role: 'tool', tool_call_id: id, content });
    const before = messages.at(-1);
    if (calls.length > 0 && texts.length === 0 && before?.role === 'assistant') {
      before.tool_calls = [...(before.tool_calls ?? []), ...calls];
      continue;
    }
    if (texts.length === 0 && calls.length === 0) continue;
    messages.push({
      role,
      content: texts.join('\n'),
      ...(images.length === 0 ? {} : { images }),
      ...(calls.length === 0 ? {} : { tool_calls: [...calls] }),
    });
  }
  return messages;
}

function sayingIn(given: unknown, at: Path): Saying {
  const type = fieldOf(given, 'type') ?? 'message';
  const nothing = { texts: [], images: [], calls: [], results: [] };
  switch (type) {
    case 'message':
      return readSaying(given, at);
    // The reasoning of a model is not part of the conversation.
    case 'reasoning':
      return { ...nothing, role: 'assistant' };
    case 'function_call':
      return { ...nothing, role: 'assistant', calls: [callIn(given, at)] };
    case 'function_call_output':
      return { ...nothing, role: 'tool', results: [resultIn(given, at)] };
    default:
      throw mustBe([...at, 'type'], `be \`message\`, \`function_call\` or its output, not ${quote(type)}`);
  }
}

function readSaying(given: unknown, at: Path): Saying {
  const named = fieldOf(given, 'role');
  const role = typeof named === 'string' && Object.hasOwn(roles, named) ? roles[named] : undefined;
  if (role === undefined)
    throw mustBe([...at, 'role'], `be system, developer, user, assistant or tool, not ${quote(named)}`);
  if (fieldOf(given, 'function_call') != null)
    throw mustBe([...at, 'function_call'], 'be `tool_calls`, which replace it');
  const calls = listOf(fieldOf(given, 'tool_calls')).map((call) => callIn(call, at));
  const field = fieldOf(given, 'content') == null ? 'parts' : 'content';
  const content = fieldOf(given, field);
  const said = [...at, field];
  if (role === 'tool' && field === 'content')
    return { role, texts: [], images: [], calls, results: [resultIn(given, at)] };
  if (content == null && calls.length > 0) return { role, texts: [], images: [], calls, results: [] };
  const parts = typeof content === 'string' ? [] : listIn(content, said);
  const ofType = (...types: readonly string[]) =>
    parts.filter((part) => types.includes(textIn(part, 'type')));
  const [own, returned] = [ofType('tool_use', 'tool_call'), ofType('tool_result', 'tool_call_response')];
  const images = role === 'user' ? imagesIn(parts, said) : new Map<unknown, string>();
  const read = [...own, ...returned, ...images.keys(), ...ofType(...thoughts)];
  const others = parts.filter((part) => !read.includes(part));
  const isText = typeof content === 'string' || others.length > 0 || images.size > 0;
  const text = typeof content === 'string' ? content : others.length > 0 ? others : '';
  const isEmpty = content === '' && calls.length > 0;
  return {
    role,
    texts: isText && !isEmpty ? [textOf(text, said)] : [],
    images: [...images.values()],
    calls: [...calls, ...own.map((part) => callIn(part, said))],
    results: returned.map((part) => resultIn(part, said)),
  };
}

const thoughts = ['thinking', 'redacted_thinking', 'reasoning'];

/** The data URLs of the parts that are images. */
function imagesIn(parts: readonly unknown[], at: Path): ReadonlyMap<unknown, string> {
  const images = parts.flatMap((part, index) => {
    const url = isFields(part) ? urlOf(part) : null;
    if (url === null) return [];
    const fault = url.startsWith('data:')
      ? faultOfImage(url)
      : 'must be a data URL; the hub fetches no images';
    if (fault !== null) throw refuse(`\`${nameOf([...at, index])}\` ${fault}.`);
    return [[part, url] as const];
  });
  if (images.length > maxMessageImages) throw mustBe(at, `have at most ${maxMessageImages} images`);
  return new Map(images);
}

/** Of an image in the form of any API, or of a span; null if the part is no image. */
function urlOf(part: Readonly<Record<string, unknown>>): string | null {
  if (part['modality'] !== 'image') return imageOf(part);
  const [media, content] = [textIn(part, 'mime_type'), textIn(part, 'content')];
  return part['type'] === 'blob' ? `data:${media};base64,${content}` : textIn(part, 'uri');
}

/** Of any of the APIs. */
function callIn(given: unknown, at: Path): CaseCall {
  const called = fieldOf(given, 'function') ?? given;
  const id = fieldOf(given, 'call_id') ?? fieldOf(given, 'id');
  const sent = fieldOf(called, 'arguments') ?? fieldOf(called, 'input') ?? {};
  const args =
    typeof sent === 'string' ? parseJson(new TextEncoder().encode(sent === '' ? '{}' : sent)) : sent;
  const name = fieldOf(called, 'name');
  if (typeof id !== 'string' || typeof name !== 'string')
    throw mustBe(at, 'have calls with an id and a name');
  if (!isFields(args)) throw mustBe(at, `have a JSON object as the arguments of ${quote(name)}`);
  return { id, name, arguments: args };
}

function resultIn(given: unknown, at: Path): Saying['results'][number] {
  const id =
    fieldOf(given, 'tool_call_id') ??
    fieldOf(given, 'tool_use_id') ??
    fieldOf(given, 'call_id') ??
    fieldOf(given, 'id');
  if (typeof id !== 'string') throw mustBe(at, 'have results that name their calls');
  const content = ['content', 'output', 'response', 'result'].map((name) => fieldOf(given, name));
  const found = content.find((each) => each != null) ?? '';
  const isParts = Array.isArray(found) && found.every((part) => fieldOf(part, 'type') != null);
  const text = isParts ? textOf(found, at) : typeof found === 'string' ? found : JSON.stringify(found);
  return { id, content: text };
}

const textTypes = ['text', 'input_text', 'output_text'];

export function textOf(given: unknown, at: Path): string {
  const text = typeof given === 'string' ? given : textOfParts(given, at);
  if (text === '' || text.length > maxPromptCharacters)
    throw mustBe(at, `have 1 to ${maxPromptCharacters} characters of text`);
  return text;
}

function textOfParts(given: unknown, at: Path): string {
  return listIn(given, at)
    .map((part, index) => {
      const type = fieldOf(part, 'type');
      const text = fieldOf(part, 'text') ?? fieldOf(part, 'content');
      if (!textTypes.includes(textIn(part, 'type')) || typeof text !== 'string')
        throw mustBe(
          [...at, index, 'type'],
          `be a part with a text, not ${quote(type)}; a case has texts, images of the user and tool calls only`,
        );
      return text;
    })
    .join('\n');
}

export function listIn(given: unknown, at: Path): readonly unknown[] {
  if (!Array.isArray(given) || given.length === 0) throw mustBe(at, 'be a list with something in it');
  return given;
}

export function quote(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 60) ?? 'missing';
}

export function mustBe(path: Path, rule: string): DomainError {
  return refuse(`\`${nameOf(path)}\` must ${rule.replace(/\.$/, '')}.`);
}

export function refuse(message: string): DomainError {
  return new DomainError('invalid_body', message);
}
