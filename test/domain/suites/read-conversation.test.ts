/** What a case keeps of a conversation, in each form, and which field is named where it cannot. */
import { expect, test } from 'bun:test';
import { DomainError } from '#domain/errors.ts';
import { readConversation, type SentConversation } from '#domain/suites/read-conversation.ts';
import { isFields } from '#evals/own-suite/exact-json.ts';
import { changesOf } from '#test/harness/odd-values.ts';

const messages = [
  { role: 'system' as const, content: 'Be brief.' },
  { role: 'user' as const, content: 'Refund order 7?' },
];
const route = { name: 'route', description: 'Routes.', parameters: { type: 'object' } };
const call = { name: 'route', arguments: { queue: 'billing' } };
const json = JSON.stringify(call.arguments);

const chat = {
  request: { model: 'm', temperature: 0, messages, tools: [{ type: 'function', function: route }] },
  response: {
    choices: [
      { message: { content: null, tool_calls: [{ id: '1', function: { name: 'route', arguments: json } }] } },
    ],
  },
};
const anthropic = {
  request: {
    max_tokens: 9,
    system: [{ type: 'text', text: 'Be brief.' }],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Refund order 7?' }] }],
    tools: [{ name: 'route', description: 'Routes.', input_schema: { type: 'object' } }],
  },
  response: {
    type: 'message',
    content: [{ type: 'tool_use', id: '1', name: 'route', input: call.arguments }],
  },
};
const responses = {
  request: { instructions: 'Be brief.', input: 'Refund order 7?', tools: [{ type: 'function', ...route }] },
  response: { output: [{ type: 'function_call', call_id: '1', name: 'route', arguments: json }] },
};
const inSpan = {
  'gen_ai.system_instructions': [{ type: 'text', content: 'Be brief.' }],
  'gen_ai.input.messages': [{ role: 'user', parts: [{ type: 'text', content: 'Refund order 7?' }] }],
  'gen_ai.output.messages': [{ role: 'assistant', parts: [{ type: 'tool_call', id: '1', ...call }] }],
  'gen_ai.tool.definitions': [{ type: 'function', ...route }],
};
const texts = Object.entries(inSpan).map(([key, value]) => ({
  key,
  value: { stringValue: JSON.stringify(value) },
}));
const other = { name: 'GET', attributes: [] };
const exported = { resourceSpans: [{ scopeSpans: [{ spans: [other, { attributes: texts }] }] }] };

/** As OTLP writes a value that is no text. */
function anyValue(value: unknown): object {
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  if (typeof value !== 'object' || value === null) return { stringValue: value };
  return {
    kvlistValue: { values: Object.entries(value).map(([key, each]) => ({ key, value: anyValue(each) })) },
  };
}
const structured = {
  attributes: Object.entries(inSpan).map(([key, each]) => ({ key, value: anyValue(each) })),
};

const sent: Readonly<Record<string, SentConversation>> = {
  'OpenAI chat': chat,
  'Anthropic messages': anthropic,
  'OpenAI Responses': responses,
  'a span': { span: { attributes: inSpan } },
  'an export of OTLP': { span: exported },
  'a span with values of OTLP': { span: structured },
};

test.each(Object.entries(sent))('messages, tools and the reply are read from %s', (_, given) => {
  const asked = { messages, tools: [route] };
  expect(readConversation(given)).toEqual({ asked, reply: { tool_calls: [call] } });
});

const image = { type: 'blob', modality: 'image', mime_type: 'image/png', content: 'AAAA' };
const pictured = {
  request: { messages: [{ role: 'user', content: [image, { type: 'text', text: 'Is it late?' }] }] },
  response: { output: [{ type: 'message', content: [{ type: 'output_text', text: 'Yes' }] }] },
};
const spoken = {
  'gen_ai.input.messages': [{ role: 'user', parts: [{ type: 'text', content: 'Is it late?' }] }],
  'gen_ai.output.messages': [{ role: 'assistant', parts: [{ type: 'text', content: 'Yes' }] }],
};

test.each(Object.entries({ ...sent, pictured, spoken: { span: { attributes: spoken } } }))(
  'a value of another kind at any place is read or refused: %s',
  (_form, given) => {
    const changes = Object.entries(given).flatMap(([name, inner]) =>
      [...changesOf(inner)].filter(isFields).map((changed) => ({ ...given, [name]: changed })),
    );
    for (const changed of changes) {
      let outcome: unknown = null;
      try {
        readConversation(changed);
      } catch (error) {
        outcome = error instanceof DomainError ? error.code : error;
      }
      expect(outcome).toBeOneOf([null, 'invalid_body']);
    }
  },
);

test('a single message becomes the prompt, and a reply without calls a text', () => {
  const request = { messages: [{ role: 'user', content: 'Hi' }] };
  const response = { choices: [{ message: { content: 'Hello.' } }] };
  expect(readConversation({ request, response })).toEqual({ asked: { prompt: 'Hi' }, reply: 'Hello.' });
});

const find = { id: 'c1', name: 'find', arguments: { id: 7 } };
/** A user asks, the agent calls a tool, gets its result, and says something; each API has its form. */
const exchanges: Readonly<
  Record<string, { request: object; list: string; said: readonly object[]; reply: object }>
> = {
  'OpenAI chat': {
    request: { tools: [{ type: 'function', function: { name: 'find' } }] },
    list: 'messages',
    said: [
      { role: 'user', content: 'Order 7?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', function: { name: 'find', arguments: '{"id": 7}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: '{"late": true}' },
      { role: 'assistant', content: 'It is late.' },
      { role: 'user', content: 'Refund it?' },
    ],
    reply: { choices: [{ message: { content: 'Yes' } }] },
  },
  'Anthropic messages': {
    request: { tools: [{ name: 'find' }] },
    list: 'messages',
    said: [
      { role: 'user', content: 'Order 7?' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.' },
          { type: 'tool_use', id: 'c1', name: 'find', input: { id: 7 } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: '{"late": true}' }] },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'It is late.' }] },
      { role: 'user', content: 'Refund it?' },
    ],
    reply: { type: 'message', content: [{ type: 'text', text: 'Yes' }] },
  },
  'OpenAI Responses': {
    request: { tools: [{ type: 'function', name: 'find' }] },
    list: 'input',
    said: [
      { role: 'user', content: 'Order 7?' },
      { type: 'reasoning', summary: [] },
      { type: 'function_call', call_id: 'c1', name: 'find', arguments: '{"id": 7}' },
      { type: 'function_call_output', call_id: 'c1', output: '{"late": true}' },
      { role: 'assistant', content: [{ type: 'output_text', text: 'It is late.' }] },
      { role: 'user', content: 'Refund it?' },
    ],
    reply: { output: [{ type: 'message', content: [{ type: 'output_text', text: 'Yes' }] }] },
  },
};

test.each(Object.entries(exchanges))(
  'tool calls before the reply are a part of the case in %s',
  (form, { request, list, said, reply: response }) => {
    const { asked, reply } = readConversation({ request: { ...request, [list]: said }, response });
    expect(reply).toBe('Yes');
    expect(asked).toEqual({
      messages: [
        { role: 'user', content: 'Order 7?' },
        { role: 'assistant', content: '', tool_calls: [find] },
        { role: 'tool', tool_call_id: 'c1', content: '{"late": true}' },
        { role: 'assistant', content: 'It is late.' },
        { role: 'user', content: 'Refund it?' },
      ],
      tools: [{ name: 'find' }],
    });
    // The last request of an agent ends with the results of its calls: it calls again, and gets the same.
    const ended = said.slice(0, form === 'OpenAI Responses' ? 4 : 3);
    expect(readConversation({ request: { ...request, [list]: ended }, response }).asked).toEqual({
      prompt: 'Order 7?',
      tools: [{ name: 'find', returns: [{ when: { id: 7 }, return: '{"late": true}' }] }],
    });
  },
);

test('a call that is repeated returns each of its results', () => {
  const again = (id: string, content: string) => [
    { role: 'assistant', tool_calls: [{ id, function: { name: 'find', arguments: '{}' } }] },
    { role: 'tool', tool_call_id: id, content },
  ];
  const said = [{ role: 'user', content: 'Go.' }, ...again('c1', 'busy'), ...again('c2', 'done')];
  const response = { choices: [{ message: { content: 'Yes' } }] };
  const returns = [
    { when: {}, return: 'busy', times: 1 },
    { when: {}, return: 'done' },
  ];
  expect(readConversation({ request: { messages: said }, response }).asked).toEqual({
    prompt: 'Go.',
    tools: [{ name: 'find', returns }],
  });
});

const called = {
  role: 'assistant',
  tool_calls: [{ id: 'c1', function: { name: 'find', arguments: '{"id": 7}' } }],
};
const asking = (form: typeof chat | typeof responses, request: object) => ({
  ...form,
  request: { ...form.request, ...request },
});
const withMessages = (...more: object[]) => asking(chat, { messages: [...messages, ...more] });
const refusals: readonly (readonly [names: string, given: SentConversation])[] = [
  ['`request` and `response`, or `span`', { request: chat.request }],
  ['`request` and `response`, or `span`', { ...chat, span: {} }],
  ['`response`', { ...chat, response: {} }],
  ['`response`', { ...chat, response: { choices: [] } }],
  ['`request.messages`', { ...chat, request: {} }],
  ['`request.messages[2].role`', withMessages({ role: 'judge', content: 'x' })],
  ['`request.messages[2].function_call`', withMessages({ role: 'assistant', function_call: {} })],
  ['`request.messages[2]`', withMessages({ role: 'tool', content: 'x' })],
  ['`request.messages[2]`', withMessages({ role: 'assistant', tool_calls: [{}] })],
  ['`request.messages[3]`', withMessages(called, { role: 'user', content: 'Well?' })],
  ['`request.messages`', withMessages(called)],
  ['`request.messages[2].content[0].type`', withMessages({ role: 'user', content: [{ type: 'image_url' }] })],
  ['`request.messages[2].content`', withMessages({ role: 'user', content: '' })],
  ['`request.messages`', withMessages({ role: 'assistant', content: 'x' })],
  ['`request.tools[0].type`', asking(chat, { tools: [{ type: 'web_search' }] })],
  ['`request.tools[0].name`', asking(chat, { tools: [{ name: 'a b' }] })],
  ['`request.previous_response_id`', asking(responses, { previous_response_id: 'r' })],
  ['`request.input[0].type`', asking(responses, { input: [{ type: 'item_reference' }] })],
  ['`request.input`', asking(responses, { input: [{ role: 'assistant', content: 'x' }] })],
  ['`span.attributes`', { span: other }],
  ['`span.attributes`', { span: { resourceSpans: [{ scopeSpans: [{ spans: [structured, structured] }] }] } }],
  ['`span.gen_ai.input.messages`', { span: { attributes: { ...inSpan, 'gen_ai.input.messages': '[' } } }],
];

test.each(refusals)('what a case cannot have is refused with the name of the field: %s', (names, given) => {
  expect(() => readConversation(given)).toThrow(
    expect.objectContaining({ code: 'invalid_body', message: expect.stringContaining(names) }),
  );
});
