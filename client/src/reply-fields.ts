/** What an agent returns, as the hub takes it. SDKs write calls and usage in other forms. */

/** A reply with more than a text. Without a text, it must have `tool_calls`. */
export interface Reply {
  readonly text?: string;
  readonly tool_calls?: unknown;
  /** The tokens that the reply took. */
  readonly usage?: unknown;
  /** Of a reply that was kept from before: how long it took then. */
  readonly latency_ms?: number;
}

/** A reply that the hub could not take. */
export class OddReply extends TypeError {
  override readonly name = 'OddReply';
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * The fields of an answer. An empty text is a reply, but nothing is none: some graders accept an empty text.
 * @throws OddReply
 */
export function replyFields(reply: unknown): Reply {
  if (typeof reply === 'string') return { text: storable(reply) };
  const fields = isFields(reply) ? reply : {};
  const { text, content, tool_calls: given, usage, error } = fields;
  if (isGiven(error)) throw new OddReply(`The agent returned an error: ${describeError(error)}`);
  const calls = readCalls(given);
  const said = text ?? content;
  if (calls.length === 0 && hasOtherCalls(fields)) throw new OddReply(unreadCalls);
  const known = textOf(said);
  if (known === null && (said != null || calls.length === 0))
    throw new OddReply('The agent returned no text.');
  const tokens = readUsage(usage);
  return {
    text: storable(known ?? ''),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(tokens === null ? {} : { usage: tokens }),
  };
}

export const unreadCalls =
  'The reply has tool calls in a form that cannot be read. Reply only with JSON such as {"tool_calls": [{"name": "…", "arguments": {…}}]}; with --serve, beside `case_id`.';

/** Whether calls are in fields that are not read, or in blocks of the message. The hub looks for calls in texts. */
export function hasOtherCalls(fields: Fields): boolean {
  const names = ['tool_calls', 'toolCalls', 'function_call', 'functionCall', 'toolUse'];
  const { content } = fields;
  const blocks = Array.isArray(content) ? content.filter(isFields) : [];
  return (
    names.some((name) => isGiven(fields[name])) ||
    blocks.some(({ type }) => type === 'tool_use' || type === 'tool-call' || type === 'function_call')
  );
}

/** SDKs also write empty values, objects of empty values, and `{"code": 0}` for no error. */
export function isGiven(value: unknown): boolean {
  if (value instanceof Error) return true;
  if (!isFields(value)) return !isEmpty(value);
  return value['code'] !== 0 && !Object.values(value).every(isEmpty);
}

function isEmpty(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return !value;
  // An error or a response has fields that are no keys.
  const isPlain = Array.isArray(value) || [Object.prototype, null].includes(Object.getPrototypeOf(value));
  return isPlain && Object.keys(value).length === 0;
}

/** SDKs write `{"message": "…"}`. */
export function describeError(error: unknown): string {
  const { message = error } = Object(error) as { readonly message?: unknown };
  if (typeof message === 'string') return message;
  try {
    return JSON.stringify(message);
  } catch {
    // A large integer, or an object that contains itself.
    return String(message);
  }
}

const latencyMsMax = 3_600_000;

/** How long a kept reply took, for a case that was fetched. The hub measures too, and counts the longer time. */
export function latencyOf(reply: unknown): Pick<Reply, 'latency_ms'> {
  const given = isFields(reply) ? reply['latency_ms'] : undefined;
  if (typeof given !== 'number' || !(given >= 0)) return {};
  return { latency_ms: Math.min(latencyMsMax, Math.round(given)) };
}

/** A text, or the texts among the blocks of a message; null if it is neither. */
export function textOf(said: unknown): string | null {
  if (typeof said === 'string') return said;
  const blocks = Array.isArray(said) ? said.filter(isFields) : [];
  const texts = blocks.flatMap(({ type, text }) =>
    (type === 'text' || type === 'output_text') && typeof text === 'string' ? [text] : [],
  );
  return texts.length === 0 ? null : texts.join('');
}

/** The hub takes neither NUL nor half surrogate pairs. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').replaceAll(/\p{Cs}/gu, '\uFFFD');
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Of OpenAI, Anthropic and the AI SDK, or plain ones. The results of calls name their ids. */
function readCalls(given: unknown): readonly object[] {
  if (!isGiven(given)) return [];
  if (!Array.isArray(given)) throw new OddReply('`tool_calls` of the agent must be a list.');
  return given.map((call: unknown, place) => {
    const fields = isFields(call) ? call : {};
    const called = isFields(fields['function']) ? fields['function'] : fields;
    const name = called['name'] ?? called['toolName'];
    if (typeof name !== 'string' || name === '')
      throw new OddReply(`\`tool_calls[${place}]\` of the agent must have a name.`);
    const id = fields['call_id'] ?? fields['toolCallId'] ?? fields['id'];
    const given = called['arguments'] ?? called['input'] ?? called['args'] ?? {};
    if (!isJson(given))
      throw new OddReply(`\`tool_calls[${place}]\` of the agent has arguments that JSON cannot express.`);
    const hasId = typeof id === 'number' || (typeof id === 'string' && id !== '');
    return {
      id: hasId ? String(id) : `call-${place + 1}`,
      name,
      arguments: given,
    };
  });
}

/** `JSON.stringify` makes null of a number such as 1e999. */
function isJson(value: unknown): boolean {
  try {
    JSON.stringify(value, (_, one: unknown) => {
      if (typeof one === 'number' && !Number.isFinite(one)) throw new RangeError(String(one));
      return one;
    });
    return true;
  } catch {
    return false;
  }
}

const cacheFields = ['cache_creation_input_tokens', 'cache_read_input_tokens'];

/** Whole numbers of tokens, and their cost if it is reported; null if they are not. */
function readUsage(given: unknown): object | null {
  if (!isFields(given)) return null;
  const count = (...names: readonly string[]): number | null => {
    const value = names.map((name) => given[name]).find((each) => each != null);
    return typeof value === 'number' && value >= 0 && value <= 1e9 ? Math.round(value) : null;
  };
  const input = count('input_tokens', 'prompt_tokens', 'inputTokens', 'promptTokens');
  const output = count('output_tokens', 'completion_tokens', 'outputTokens', 'completionTokens');
  if (input === null || output === null) return null;
  const cached = cacheFields.reduce((sum, name) => sum + (count(name) ?? 0), 0);
  const cost = given['cost_usd'] ?? given['cost'];
  const isCost = typeof cost === 'number' && cost >= 0 && cost <= 1e6;
  return { input_tokens: input + cached, output_tokens: output, ...(isCost ? { cost_usd: cost } : {}) };
}
