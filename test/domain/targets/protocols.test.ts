/** What each protocol sends of images and numbers, and what it reads in odd replies: nothing throws. */
import { expect, test } from 'bun:test';
import type { ProtocolName } from '#domain/targets/protocols.ts';
import { askTarget } from '#domain/targets/target-call.ts';
import { storable } from '#evals/safe-text.ts';
import type { ConversationMessage } from '#evals/worlds/world.ts';
import { dataUrl, png, pngUrl } from '#test/harness/images.ts';
import { changesOf } from '#test/harness/odd-values.ts';

interface Asked {
  readonly protocol: string;
  readonly messages: readonly ConversationMessage[];
  readonly system?: string;
  /** JSON, sent in turn; the last one again and again. */
  readonly replies?: readonly string[];
  readonly tools?: NonNullable<Parameters<typeof askTarget>[0]['tools']>;
  /** The binding of an A2A agent whose card is known. */
  readonly binding?: string;
}

/** Asks a target that sends these replies. @returns what came of it, and the bodies that it was sent */
async function askInTurn({ replies = ['{}'], binding, ...asked }: Asked) {
  const sent: string[] = [];
  const url = 'https://agent.example/';
  const memory = binding === undefined ? {} : { a2a: { url, binding, version: '1.0', tenant: null } };
  const outcome = await askTarget(
    { url, model: null, headers: {}, timeoutMs: 2_000, idempotencyKey: 'k', memory, ...asked },
    {
      http: { answerTimeoutMs: 2_000 },
      pause: async (ms) => ms,
      send: async ({ body }) => {
        const reply = replies[Math.min(sent.length, replies.length - 1)] ?? '';
        sent.push(String(body));
        const received = { status: 200, headers: {}, body: Buffer.from(reply), latencyMs: 500, address: '' };
        return { ok: true, ...received, attempts: 1 };
      },
    },
  );
  return { outcome, sent };
}

const base64 = png.toString('base64');
const image = { sha256: 'a'.repeat(64), type: 'image/png', bytes: png.length, base64 } as const;
const gif = { ...image, type: 'image/gif' } as const;
const pictured = [
  { role: 'user', content: 'What is it?', images: [image, gif] },
  { role: 'assistant', content: 'A cat.' },
  { role: 'user', content: 'And this?', images: [image] },
] as const;
const gifUrl = dataUrl(png, 'image/gif');

async function sentOver(protocol: ProtocolName, said: readonly (typeof pictured)[number][] = pictured) {
  const binding = protocol === 'a2a' ? { binding: 'JSONRPC' } : {};
  const { sent } = await askInTurn({ protocol, messages: said, ...binding });
  return JSON.parse(sent[0] ?? '');
}

test('of images, OpenAI chat completions get parts, and plain texts elsewhere', async () => {
  const part = (url: string) => ({ type: 'image_url', image_url: { url } });
  expect((await sentOver('openai-chat')).messages).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'What is it?' }, part(pngUrl), part(gifUrl)] },
    { role: 'assistant', content: 'A cat.' },
    { role: 'user', content: [{ type: 'text', text: 'And this?' }, part(pngUrl)] },
  ]);
});

test('of images, OpenAI responses get parts', async () => {
  const part = (url: string) => ({ type: 'input_image', image_url: url });
  expect((await sentOver('openai-responses')).input).toEqual([
    { role: 'user', content: [{ type: 'input_text', text: 'What is it?' }, part(pngUrl), part(gifUrl)] },
    { role: 'assistant', content: 'A cat.' },
    { role: 'user', content: [{ type: 'input_text', text: 'And this?' }, part(pngUrl)] },
  ]);
});

test('of images, Anthropic messages get blocks', async () => {
  const block = (type: string) => ({
    type: 'image',
    source: { type: 'base64', media_type: type, data: base64 },
  });
  expect((await sentOver('anthropic-messages')).messages).toEqual([
    {
      role: 'user',
      content: [block('image/png'), block('image/gif'), { type: 'text', text: 'What is it?' }],
    },
    { role: 'assistant', content: [{ type: 'text', text: 'A cat.' }] },
    { role: 'user', content: [block('image/png'), { type: 'text', text: 'And this?' }] },
  ]);
});

test("of images, the hub's own protocol has data URLs in `messages`, also of a single one", async () => {
  expect(await sentOver('hub', [pictured[2]])).toEqual({
    prompt: 'And this?',
    messages: [{ role: 'user', content: 'And this?', images: [pngUrl] }],
  });
});

test('of images, A2A gets raw parts', async () => {
  expect((await sentOver('a2a', [pictured[2]])).params.message.parts).toEqual([
    { text: 'And this?' },
    { raw: base64, mediaType: 'image/png' },
  ]);
});

/** JavaScript rounds it. */
const id = '12345678901234567890';
const find = { id: 'a', name: 'find', arguments: { id: { $number: id } } };
const messages: readonly ConversationMessage[] = [
  { role: 'user', content: 'Find it.' },
  { role: 'assistant', content: '', calls: [find] },
  { role: 'tool', id: 'a', content: 'ok' },
];

const system = 'Be short.';
const tool = { name: 'find', description: 'Finds.', parameters: { type: 'object' } };
const roles = ['user', 'assistant', 'tool'].map((role) => ({ role }));
test.each([
  ['hub', { system, prompt: 'Find it.', messages: roles, tools: [tool] }],
  [
    'openai-chat',
    {
      messages: [{ role: 'system', content: system }, ...roles],
      tools: [{ type: 'function', function: tool }],
    },
  ],
  ['openai-responses', { instructions: system, tools: [{ type: 'function', ...tool }] }],
  ['anthropic-messages', { system, tools: [{ name: 'find', input_schema: tool.parameters }] }],
])('%s gets the system prompt, the conversation and the tools', async (protocol, body) => {
  const { sent } = await askInTurn({ protocol, messages, system, tools: [tool] });
  expect(JSON.parse(sent[0] ?? '')).toMatchObject(body);
});

test.each(['hub', 'openai-chat', 'openai-responses', 'anthropic-messages'] as const)(
  '%s gets earlier calls as the agent made them, with all digits of their numbers',
  async (protocol) => {
    const [sent = ''] = (await askInTurn({ protocol, messages })).sent;
    expect(sent.replaceAll('\\', '')).toContain(`{"id":${id}}`);
    expect(sent).not.toContain('$number');
  },
);

test('the data of an A2A message are a text with all digits', async () => {
  const replies = [`{"message":{"parts":[{"data":{"order_id":${id}}}]}}`];
  const { outcome } = await askInTurn({ protocol: 'a2a', binding: 'HTTP+JSON', messages, replies });
  expect(outcome).toMatchObject({ ok: true, text: `{"order_id":${id}}` });
});

test('what is no number of JSON goes to targets as it is, not as broken JSON', async () => {
  for (const $number of ['1.2.3', '007', '1-2', 'e']) {
    const calls = [{ ...find, arguments: { $number } }];
    const said = messages.with(1, { role: 'assistant', content: '', calls });
    const [sent = ''] = (await askInTurn({ protocol: 'hub', messages: said })).sent;
    expect(JSON.stringify(JSON.parse(sent))).toContain(JSON.stringify({ $number }));
  }
});

const usage = { input_tokens: 1, output_tokens: 1 };
const call = { id: 'c', name: 'look_up', arguments: '{}' };
const yes = { role: 'agent', parts: [{ text: 'Yes' }], contextId: 'c' };
const [working, completed] = ['TASK_STATE_WORKING', 'TASK_STATE_COMPLETED'];
const card = {
  name: 'x',
  supportedInterfaces: [
    { url: 'https://agent.example/a', protocolBinding: 'HTTP+JSON', protocolVersion: '1.0', tenant: 't' },
  ],
};

const inChat = { content: 'Yes', tool_calls: [{ id: 'c', type: 'function', function: call }] };
/** What is sent in turn, by protocol. */
const replies: readonly (readonly [protocol: string, sent: readonly unknown[]])[] = [
  ['hub', [{ text: 'Yes', usage, tool_calls: [call] }]],
  ['openai-chat', [{ choices: [{ message: inChat, finish_reason: 'stop' }], usage, error: null }]],
  [
    'openai-responses',
    [
      {
        status: 'completed',
        output: [
          { type: 'message', content: [{ type: 'output_text', text: 'Yes' }] },
          { type: 'function_call', call_id: 'c', name: 'look_up', arguments: '{}' },
        ],
        incomplete_details: { reason: 'x' },
        usage,
      },
    ],
  ],
  [
    'anthropic-messages',
    [
      {
        type: 'message',
        role: 'assistant',
        content: [
          { type: 'text', text: 'Yes' },
          { type: 'tool_use', id: 'c', name: 'look_up', input: {} },
        ],
        stop_reason: 'end_turn',
        usage,
      },
    ],
  ],
  ['a2a', [card, { message: yes }]],
  [
    'a2a',
    [
      card,
      { task: { id: 't', status: { state: working, message: yes } } },
      { id: 't', status: { state: completed }, history: [yes], metadata: { usage }, contextId: 'c' },
    ],
  ],
];

test.each(replies)(
  'a value of another kind at any place of a reply is read or is a fault: %s',
  async (protocol, sent) => {
    const tools = [{ name: 'look_up', description: '', parameters: {} }];
    const ask = async (told: readonly unknown[]) => {
      const asked = { protocol, messages: messages.slice(0, 1), tools };
      return (await askInTurn({ ...asked, replies: told.map((reply) => JSON.stringify(reply)) })).outcome;
    };
    expect(await ask(sent)).toMatchObject({ ok: true });
    for (const [at, reply] of sent.entries())
      for (const changed of changesOf(reply)) {
        const outcome = await ask(sent.with(at, changed)).catch((error: unknown) => {
          throw new Error(`It throws for ${JSON.stringify(changed)}.`, { cause: error });
        });
        const kept = outcome.ok ? (outcome.contextId ?? '') : outcome.problem;
        expect(kept).toBe(storable(kept));
      }
  },
);
