/** Replies with a value of another kind at any place, in every protocol: each is read or is a fault, and nothing throws. */
import { expect, test } from 'bun:test';
import { storable } from '#evals/safe-text.ts';
import { changesOf } from '#test/harness/odd-values.ts';
import { askInTurn } from './ask-in-turn.ts';

const usage = { input_tokens: 1, output_tokens: 1 };
const call = { id: 'c', name: 'look_up', arguments: '{}' };
const said = { role: 'agent', parts: [{ text: 'Yes' }], contextId: 'c' };
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
  const tools = [{ name: 'look_up', description: '', parameters: {} }];
  const messages = [{ role: 'user', content: 'Is it late?' }] as const;
  const asked = { protocol, messages, tools, replies: sent.map((reply) => JSON.stringify(reply)) };
  return (await askInTurn(asked)).outcome;
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
