/** Reads a conversation with a model as it happened: what a case asks, and the reply. */
import {
  CaseShape,
  type SampleReply,
  type SentCase,
  type SentMessage,
  type Tool,
} from '#evals/own-suite/document.ts';
import { type Fault, findShapeFaults, nameOf, type Path } from '#evals/own-suite/fault.ts';
import { checkMessages } from '#evals/own-suite/messages.ts';
import type { ReturnRule } from '#evals/worlds/scripted.ts';
import { isFields } from '#evals/own-suite/exact-json.ts';
import type { OneRequest } from '../targets/protocol.ts';
import { anthropicMessages } from '../targets/protocols/anthropic-messages.ts';
import { openaiChat } from '../targets/protocols/openai-chat.ts';
import { openaiResponses } from '../targets/protocols/openai-responses.ts';
import { fieldOf, listOf, parseJson, textIn } from '../targets/read-json.ts';
import { type GivenCall, readCalls } from '../targets/tool-calls.ts';
import { listIn, messagesIn, mustBe, quote, refuse, textOf } from './read-messages.ts';

export type AskedCase = Pick<SentCase, 'prompt' | 'messages' | 'tools'>;

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
      ...(system == null ? [] : [systemSaid(textOf(system, ['request', api.system ?? '']))]),
      ...messagesIn(typeof given === 'string' ? [{ role: 'user', content: given }] : listIn(given, at), at),
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
      ...(system.length === 0 ? [] : [systemSaid(textOf(system, at('system')))]),
      ...messagesIn(listIn(own.get(attributes.input), at('input')), at('input')),
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
    arguments: fieldOf(part, 'arguments'),
  }));
  if (!texts.every((text) => typeof text === 'string'))
    throw mustBe(at, 'have texts as the content of its parts of the type `text`');
  return replyOf(texts.length === 0 ? null : texts.join(''), calls, at);
}

/** By name. Lists of messages are JSON texts, or values of OTLP. */
function attributesOf(given: unknown): ReadonlyMap<string, unknown> {
  const pairs: readonly (readonly [string, unknown])[] = Array.isArray(given)
    ? given.map((each: unknown) => [textIn(each, 'key'), plainValue(fieldOf(each, 'value'))])
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
        textIn(each, 'key'),
        plainValue(fieldOf(each, 'value')),
      ]),
    );
  return value;
}

interface Parts {
  readonly messages: readonly SentMessage[];
  readonly tools: readonly GivenTool[];
  readonly reply: SampleReply;
  readonly at: Path;
  /** The name of the list of messages. */
  readonly list: string;
}

/** Checks that a case may have all of it. */
function conversationOf({ messages, tools, reply, at, list }: Parts): Conversation {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  if (last < 0) throw mustBe([...at, list], 'have a message of the user');
  const said = messages.slice(0, last + 1);
  const offered = withResults(tools, messages.slice(last + 1), [...at, list]);
  const whole = {
    // Their images have been read.
    messages: said.map(({ images: _images, ...message }) => message),
    ...(offered.length === 0 ? {} : { tools: offered }),
    accepted: [reply],
    expect: [{}],
  };
  const [fault] = [...findShapeFaults(CaseShape, whole, at, 'The conversation'), ...faultsIn(said, at, list)];
  if (fault !== undefined) throw refuse(`\`${nameOf(fault.path)}\` cannot be in a case: ${fault.message}`);
  const [only] = said;
  const isPrompt = said.length === 1 && only !== undefined && only.images === undefined;
  const asked = isPrompt ? { prompt: only.content } : { messages: said };
  // They have just been found to have the form of tools.
  return { asked: { ...asked, ...(offered.length === 0 ? {} : { tools: offered as Tool[] }) }, reply };
}

function faultsIn(messages: readonly SentMessage[], at: Path, list: string): readonly Fault[] {
  return checkMessages(messages).map(({ path, message }) => ({ path: [...at, list, ...path], message }));
}

interface GivenTool {
  readonly name: unknown;
  readonly returns?: readonly ReturnRule[];
}

/**
 * What the agent called between the last message of the user and its reply. In a case, it calls again, and the tools
 * return the same.
 */
function withResults(
  tools: readonly GivenTool[],
  steps: readonly SentMessage[],
  at: Path,
): readonly GivenTool[] {
  const calls = steps.flatMap(({ tool_calls: own = [] }) => own);
  if (calls.length === 0 && steps.length > 0)
    throw mustBe(at, 'end with the message of the user, or the results of calls, that the reply responds to');
  const results = new Map(steps.map(({ tool_call_id: id, content }) => [id, content]));
  const rules = calls.map(({ id, name, arguments: when = {} }) => {
    const result = results.get(id);
    if (result === undefined) throw mustBe(at, `have the result of the call ${quote(id)} of ${quote(name)}`);
    return { name, key: JSON.stringify([name, when]), rule: { when, return: result } };
  });
  const returnsOf = (name: unknown): readonly ReturnRule[] =>
    rules
      .filter((one) => one.name === name)
      // The same call again may have had another result.
      .map(({ key, rule }, place, own) =>
        own.slice(place + 1).some((later) => later.key === key) ? { ...rule, times: 1 } : rule,
      );
  const unknown = new Set(
    calls.map(({ name }) => name).filter((name) => !tools.some((tool) => tool.name === name)),
  );
  return [...tools, ...Array.from(unknown, (name) => ({ name }))].map((tool) => {
    const returns = returnsOf(tool.name);
    return returns.length === 0 ? tool : { ...tool, returns };
  });
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
  if (text === null && calls.length === 0) throw mustBe(at, 'have a text or a tool call');
  if (calls.length === 0) return text ?? '';
  return {
    ...(text === null || text === '' ? {} : { text }),
    tool_calls: calls.map(({ name, arguments: args }) => {
      if (!isFields(args)) throw mustBe(at, `have an object as the arguments of ${quote(name)}`);
      return { name, arguments: args };
    }),
  };
}

function systemSaid(content: string): SentMessage {
  return { role: 'system', content };
}
