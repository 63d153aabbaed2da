/** What targets send when no text came, in every protocol: a fault, never an empty reply. */
import { expect, test } from 'bun:test';
import { readOutcome } from '#domain/targets/target-call.ts';

const url = 'https://agent.example/';
const tool = { name: 'route', description: '', parameters: { type: 'object' } };

function read(protocol: string, value: unknown, hasTools = false) {
  return readText(protocol, JSON.stringify(value), hasTools);
}

function readText(protocol: string, text: string, hasTools: boolean) {
  const body = new TextEncoder().encode(text);
  const outcome = { ok: true, address: '127.0.0.1', status: 200, headers: {}, body, latencyMs: 1 } as const;
  return readOutcome(outcome, { url, protocol, headers: {}, tools: hasTools ? [tool] : [] });
}
const chat = (message: unknown) => ({ choices: [{ message }] });
const response = (...output: unknown[]) => ({ output });
const said = (...content: unknown[]) => ({ type: 'message', content });
const call = { id: 'a', type: 'function', function: { name: 'route', arguments: '{}' } };

test.each([
  ['hub', {}],
  ['hub', { text: null }],
  ['hub', { tool_calls: [] }],
  // Calls of tools that were not offered are no reply.
  ['hub', { tool_calls: [{ name: 'route', arguments: {} }] }],
  ['openai-chat', chat({})],
  ['openai-chat', chat({ content: null })],
  ['openai-chat', chat({ content: null, tool_calls: [call] })],
  ['openai-responses', response()],
  ['openai-responses', response({ type: 'reasoning', summary: [] })],
  ['openai-responses', response(said())],
  ['openai-responses', response(said({ type: 'output_text' }))],
  ['anthropic-messages', { type: 'message', content: [] }],
  ['anthropic-messages', { type: 'message', content: [{ type: 'text', text: null }] }],
  ['anthropic-messages', { type: 'message', content: [{ type: 'thinking', thinking: 'x' }] }],
] as const)('%s: %j has no text', (protocol, value) => {
  expect(read(protocol, value)).toMatchObject({ ok: false, code: 'target_bad_response' });
});

test.each([
  ['hub', { text: '' }, ''],
  ['openai-chat', chat({ content: '' }), ''],
  ['openai-chat', chat({ content: null, refusal: 'I cannot.' }), 'I cannot.'],
  ['openai-responses', response(said({ type: 'output_text', text: '' })), ''],
  ['openai-responses', response(said({ type: 'refusal', refusal: 'I cannot.' })), 'I cannot.'],
  ['anthropic-messages', { type: 'message', content: [{ type: 'text', text: '' }] }, ''],
] as const)('%s: %j has the text that came, even an empty one', (protocol, value, text) => {
  expect(read(protocol, value)).toMatchObject({ ok: true, text });
});

test('a reply that only calls the tools that were offered needs no text', () => {
  const offered = [
    read('hub', { tool_calls: [{ name: 'route', arguments: {} }] }, true),
    read('openai-chat', chat({ content: null, tool_calls: [call] }), true),
    read(
      'openai-responses',
      response({ type: 'function_call', call_id: 'a', name: 'route', arguments: '{}' }),
      true,
    ),
    read(
      'anthropic-messages',
      { type: 'message', content: [{ type: 'tool_use', id: 'a', name: 'route', input: {} }] },
      true,
    ),
  ];
  expect(offered).toMatchObject(offered.map(() => ({ ok: true, text: '', toolCalls: [{ name: 'route' }] })));
});

const large = { id: { $number: '9007199254740993' } };
test.each([
  ['hub', { tool_calls: [{ name: 'route', arguments: large }] }],
  [
    'openai-chat',
    chat({ tool_calls: [{ function: { name: 'route', arguments: '{"id":9007199254740993}' } }] }),
  ],
  ['anthropic-messages', { type: 'message', content: [{ type: 'tool_use', name: 'route', input: large }] }],
] as const)('%s: numbers in calls keep their digits', (protocol, value) => {
  const sent = JSON.stringify(value).replace(JSON.stringify(large.id), '9007199254740993');
  expect(readText(protocol, sent, true)).toMatchObject({ toolCalls: [{ name: 'route', arguments: large }] });
});

test.each([
  ['openai-chat', { choices: [{ message: { content: 'x' }, finish_reason: 'length' }] }, true],
  ['openai-chat', { choices: [{ message: { content: 'x' }, finish_reason: 'stop' }] }, undefined],
  [
    'anthropic-messages',
    { type: 'message', content: [{ type: 'text', text: 'x' }], stop_reason: 'max_tokens' },
    true,
  ],
  [
    'openai-responses',
    {
      ...response(said({ type: 'output_text', text: 'x' })),
      incomplete_details: { reason: 'max_output_tokens' },
    },
    true,
  ],
  ['hub', { text: 'x', finish_reason: 'length' }, true],
  ['hub', { text: 'x' }, undefined],
] as const)('%s: %j says whether it was cut off', (protocol, value, isCut) => {
  expect(read(protocol, value)).toHaveProperty('text', 'x');
  expect(Reflect.get(read(protocol, value), 'isCut')).toBe(isCut);
});

test('a reply that was cut off before any text says so', () => {
  const value = { choices: [{ message: { content: null }, finish_reason: 'length' }] };
  expect(read('openai-chat', value)).toMatchObject({
    ok: false,
    problem: expect.stringContaining('"length"'),
  });
});
