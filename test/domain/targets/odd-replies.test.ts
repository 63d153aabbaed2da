/** Replies with a value of another kind at any place, in every protocol: each is read or is a fault, and nothing throws. */
import { expect, test } from 'bun:test';
import { askTarget } from '#domain/targets/target-call.ts';
import { storable } from '#evals/safe-text.ts';
import { changesOf } from '#test/harness/odd-values.ts';

const usage = { input_tokens: 1, output_tokens: 1 };
const call = { id: 'c', name: 'look_up', arguments: '{}' };
const said = { role: 'agent', parts: [{ text: 'Yes' }], contextId: 'c' };
const [working, completed] = ['TASK_STATE_WORKING', 'TASK_STATE_COMPLETED'];
const card = {
  name: 'x',
  supportedInterfaces: [
    { url: 'https://a.test/a', protocolBinding: 'HTTP+JSON', protocolVersion: '1.0', tenant: 't' },
  ],
};

/** What is sent in turn, by protocol. */
const replies: readonly (readonly [protocol: string, sent: readonly unknown[]])[] = [
  ['hub', [{ text: 'Yes', usage, tool_calls: [call] }]],
  [
    'openai-chat',
    [
      {
        choices: [
          {
            message: { content: 'Yes', tool_calls: [{ id: 'c', type: 'function', function: call }] },
            finish_reason: 'stop',
          },
        ],
        usage,
        error: null,
      },
    ],
  ],
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
  ['a2a', [card, { message: said }]],
  [
    'a2a',
    [
      card,
      { task: { id: 't', status: { state: working, message: said } } },
      { id: 't', status: { state: completed }, history: [said], metadata: { usage }, contextId: 'c' },
    ],
  ],
];

async function ask(protocol: string, sent: readonly unknown[]) {
  let next = 0;
  const call = { url: 'https://a.test/a', protocol, model: null, headers: {}, idempotencyKey: 'k' };
  const tools = [{ name: 'look_up', description: '', parameters: {} }];
  const messages = [{ role: 'user', content: 'Is it late?' }] as const;
  return askTarget(
    { ...call, tools, messages, timeoutMs: 2_000 },
    {
      http: { answerTimeoutMs: 2_000 },
      pause: async (ms) => ms,
      send: async () => {
        const body = new TextEncoder().encode(JSON.stringify(sent[Math.min(next++, sent.length - 1)]));
        return { ok: true, address: '', status: 200, headers: {}, body, latencyMs: 500, attempts: 1 };
      },
    },
  );
}

test.each(replies)('%s', async (protocol, sent) => {
  expect(await ask(protocol, sent)).toMatchObject({ ok: true });
  for (const [at, reply] of sent.entries())
    for (const changed of changesOf(reply)) {
      const outcome = await ask(protocol, sent.with(at, changed)).catch((error: unknown) => {
        throw new Error(`It throws for ${JSON.stringify(changed)}.`, { cause: error });
      });
      const kept = outcome.ok ? (outcome.contextId ?? '') : outcome.problem;
      expect(kept).toBe(storable(kept));
    }
});
