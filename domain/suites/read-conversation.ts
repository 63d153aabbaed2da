/** Reads a conversation with a model as it happened: what a case asks, and the reply. */
import { CaseShape, type SampleReply, type SuiteCase } from '#evals/own-suite/document.ts';
import { findShapeFaults, nameOf, type Path } from '#evals/own-suite/fault.ts';
import { maxPromptCharacters } from '#evals/own-suite/limits.ts';
import { isFields } from '#evals/own-suite/import/imported.ts';
import { DomainError } from '../errors.ts';
import type { OneRequest } from '../targets/protocol.ts';
import { anthropicMessages } from '../targets/protocols/anthropic-messages.ts';
import { openaiChat } from '../targets/protocols/openai-chat.ts';
import { openaiResponses } from '../targets/protocols/openai-responses.ts';
import { fieldOf, listOf, parseJson } from '../targets/read-json.ts';
import { type GivenCall, readCalls } from '../targets/tool-calls.ts';

export type AskedCase = Pick<SuiteCase, 'prompt' | 'messages' | 'tools'>;

export interface Conversation {
  readonly asked: AskedCase;
  readonly reply: SampleReply;
}

/** A request with its response, or a span. */
export interface SentConversation {
  readonly request?: unknown;
  readonly response?: unknown;
  readonly span?: unknown;
}

/** The APIs that are known by the field in which a response has the reply. */
const apis: readonly {
  readonly replyIn: string;
  readonly ask: OneRequest;
  readonly messages: string;
  readonly system: string | null;
}[] = [
  { replyIn: 'choices', ask: askOf(openaiChat), messages: 'messages', system: null },
  { replyIn: 'output', ask: askOf(openaiResponses), messages: 'input', system: 'instructions' },
  { replyIn: 'content', ask: askOf(anthropicMessages), messages: 'messages', system: 'system' },
];

function askOf({ ask }: typeof openaiChat): OneRequest {
  if (typeof ask === 'function') throw new TypeError('A protocol of a conversation needs one request.');
  return ask;
}

/** @throws DomainError invalid_body, with the name of the field that a case cannot have */
export function readConversation({ request, response, span }: SentConversation): Conversation {
  if ((span === undefined) === (request === undefined || response === undefined))
    throw refuse('The body must have either `request` and `response`, or `span`.');
  return span === undefined ? readExchange(request, response) : readSpan(span);
}

function readExchange(request: unknown, response: unknown): Conversation {
  const api = apis.find(({ replyIn }) => Array.isArray(fieldOf(response, replyIn)));
  if (api === undefined)
    throw mustBe(
      ['response'],
      'have `choices` (OpenAI chat), `output` (OpenAI Responses) or a list in `content` (Anthropic messages)',
    );
  if (fieldOf(request, 'previous_response_id') != null)
    throw mustBe(['request', 'previous_response_id'], 'be left out, and `input` have the whole conversation');
  const read = api.ask.read(response);
  if (read === null || 'problem' in read)
    throw mustBe(['response'], `have the reply${read === null ? '' : `. ${read.problem}`}`);
  const at = ['request', api.messages];
  const given = fieldOf(request, api.messages);
  const system = api.system === null ? null : fieldOf(request, api.system);
  return conversationOf({
    messages: [
      ...(system == null ? [] : [{ role: 'system', content: textOf(system, ['request', api.system ?? '']) }]),
      ...(typeof given === 'string'
        ? [{ role: 'user', content: given }]
        : listIn(given, at).map(messageIn(at))),
    ],
    tools: listOf(fieldOf(request, 'tools')).map(toolIn(['request', 'tools'])),
    reply: replyOf(read.text, read.calls ?? [], ['response']),
    at: ['request'],
    list: api.messages,
  });
}

/** The names of the semantic conventions of OpenTelemetry for generative AI. */
const attributes = {
  input: 'gen_ai.input.messages',
  output: 'gen_ai.output.messages',
  system: 'gen_ai.system_instructions',
  tools: 'gen_ai.tool.definitions',
} as const;

/** A span as OTLP writes it, alone or in an export with no other conversation. */
function readSpan(given: unknown): Conversation {
  const own = conversationIn(given);
  const at = (name: keyof typeof attributes): Path => ['span', attributes[name]];
  const system = listOf(own.get(attributes.system));
  return conversationOf({
    messages: [
      ...(system.length === 0 ? [] : [{ role: 'system', content: textOf(system, at('system')) }]),
      ...listIn(own.get(attributes.input), at('input')).map(messageIn(at('input'))),
    ],
    tools: listOf(own.get(attributes.tools)).map(toolIn(at('tools'))),
    reply: replyIn(listIn(own.get(attributes.output), at('output')), at('output')),
    at: ['span'],
    list: attributes.input,
  });
}

function conversationIn(given: unknown): ReadonlyMap<string, unknown> {
  const exported = listOf(fieldOf(given, 'resourceSpans'))
    .flatMap((each) => listOf(fieldOf(each, 'scopeSpans')))
    .flatMap((each) => listOf(fieldOf(each, 'spans')));
  const spans = (exported.length > 0 ? exported : [given])
    .map((span) => attributesOf(fieldOf(span, 'attributes')))
    .filter((own) => own.has(attributes.input) && own.has(attributes.output));
  const [own] = spans;
  if (own === undefined || spans.length > 1)
    throw mustBe(
      ['span', 'attributes'],
      `have \`${attributes.input}\` and \`${attributes.output}\`, in one span; ${spans.length} have both`,
    );
  return own;
}

function replyIn(messages: readonly unknown[], at: Path): SampleReply {
  const parts = messages.flatMap((one) => listOf(fieldOf(one, 'parts')));
  const ofType = (type: string) => parts.filter((part) => fieldOf(part, 'type') === type);
  const texts = ofType('text').map((part) => fieldOf(part, 'content'));
  const calls = ofType('tool_call').map((part) => ({
    id: fieldOf(part, 'id'),
    name: fieldOf(part, 'name'),
    args: fieldOf(part, 'arguments'),
  }));
  return replyOf(texts.length === 0 ? null : texts.join(''), calls, at);
}

/** By name. Lists of messages are JSON texts, or values of OTLP. */
function attributesOf(given: unknown): ReadonlyMap<string, unknown> {
  const pairs: readonly (readonly [string, unknown])[] = Array.isArray(given)
    ? given.map((each: unknown) => [String(fieldOf(each, 'key')), plainValue(fieldOf(each, 'value'))])
    : Object.entries(isFields(given) ? given : {});
  return new Map(
    pairs.map(([name, value]) => [
      name,
      typeof value === 'string' ? (parseJson(new TextEncoder().encode(value)) ?? value) : value,
    ]),
  );
}

/** An `AnyValue` of OTLP. */
function plainValue(given: unknown): unknown {
  const [[kind, value] = []] = Object.entries(isFields(given) ? given : {});
  if (kind === 'arrayValue') return listOf(fieldOf(value, 'values')).map(plainValue);
  if (kind === 'kvlistValue')
    return Object.fromEntries(
      listOf(fieldOf(value, 'values')).map((each) => [
        String(fieldOf(each, 'key')),
        plainValue(fieldOf(each, 'value')),
      ]),
    );
  return value;
}

interface Parts {
  readonly messages: readonly unknown[];
  readonly tools: readonly unknown[];
  readonly reply: SampleReply;
  readonly at: Path;
  /** The name of the list of messages. */
  readonly list: string;
}

/** Checks that a case may have all of it. */
function conversationOf({ messages, tools, reply, at, list }: Parts): Conversation {
  const whole = { messages, ...(tools.length === 0 ? {} : { tools }), accepted: [reply], expect: [{}] };
  const [fault] = findShapeFaults(CaseShape, whole, at, 'The conversation');
  if (fault !== undefined) throw refuse(`\`${nameOf(fault.path)}\` cannot be in a case: ${fault.message}`);
  // It has just been found to have the form of a case.
  const { messages: said = [], tools: offered } = whole as unknown as Pick<SuiteCase, 'messages' | 'tools'>;
  if (said.at(-1)?.role !== 'user')
    throw mustBe([...at, list], 'end with a message of the user, to which the reply is');
  const [only] = said;
  const asked = said.length === 1 && only !== undefined ? { prompt: only.content } : { messages: said };
  return { asked: { ...asked, ...(offered === undefined ? {} : { tools: offered }) }, reply };
}

const roles: Readonly<Record<string, string>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
};
const callsInMessage = ['tool_calls', 'function_call'];

function messageIn(list: Path) {
  return (given: unknown, index: number) => {
    const at = [...list, index];
    const type = fieldOf(given, 'type') ?? 'message';
    if (type !== 'message') throw mustBe([...at, 'type'], `be \`message\`, not ${quote(type)}. ${onlyTexts}`);
    const role = fieldOf(given, 'role');
    const known = typeof role === 'string' && Object.hasOwn(roles, role) ? roles[role] : undefined;
    if (known === undefined)
      throw mustBe(
        [...at, 'role'],
        `be system, developer, user or assistant, not ${quote(role)}. ${onlyTexts}`,
      );
    const call = callsInMessage.find((field) => fieldOf(given, field) != null);
    if (call !== undefined) throw mustBe([...at, call], `be left out. ${onlyTexts}`);
    const field = fieldOf(given, 'content') == null ? 'parts' : 'content';
    return { role: known, content: textOf(fieldOf(given, field), [...at, field]) };
  };
}

const onlyTexts = 'Before the reply, a case has texts only; begin after the last call of a tool.';
const textTypes = ['text', 'input_text', 'output_text'];

function textOf(given: unknown, at: Path): string {
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
      if (!textTypes.includes(String(type)) || typeof text !== 'string')
        throw mustBe(
          [...at, index, 'type'],
          `be a part with a text, not ${quote(type)}; a case has texts only`,
        );
      return text;
    })
    .join('\n');
}

function toolIn(list: Path) {
  return (given: unknown, index: number) => {
    const type = fieldOf(given, 'type') ?? 'function';
    const of = fieldOf(given, 'function') ?? given;
    const parameters = fieldOf(of, 'parameters') ?? fieldOf(of, 'input_schema');
    if (type !== 'function' && (type !== 'custom' || parameters == null))
      throw mustBe(
        [...list, index, 'type'],
        `be \`function\`, not ${quote(type)}; a case has no other tools`,
      );
    const description = fieldOf(of, 'description');
    return {
      name: fieldOf(of, 'name'),
      ...(description == null ? {} : { description }),
      ...(parameters == null ? {} : { parameters }),
    };
  };
}

function replyOf(text: string | null, given: readonly GivenCall[], at: Path): SampleReply {
  const calls = readCalls(given, (each) => each);
  if (calls === null) throw mustBe(at, 'have calls with names, at most as many as a step may have');
  if (text === null && calls.length === 0) throw mustBe(at, 'have a text or a call of a tool');
  if (calls.length === 0) return text ?? '';
  return {
    ...(text === null || text === '' ? {} : { text }),
    tool_calls: calls.map(({ tool: name, args }) => {
      if (!isFields(args)) throw mustBe(at, `have an object as the arguments of ${quote(name)}`);
      return { name, arguments: args };
    }),
  };
}

function listIn(given: unknown, at: Path): readonly unknown[] {
  if (!Array.isArray(given) || given.length === 0) throw mustBe(at, 'be a list with something in it');
  return given;
}

function quote(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 60) ?? 'missing';
}

function mustBe(path: Path, rule: string): DomainError {
  return refuse(`\`${nameOf(path)}\` must ${rule.replace(/\.$/, '')}.`);
}

function refuse(message: string): DomainError {
  return new DomainError('invalid_body', message);
}
