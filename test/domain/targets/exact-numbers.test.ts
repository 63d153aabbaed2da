/** Numbers that JavaScript rounds reach targets, and come from them, with all their digits. */
import { expect, test } from 'bun:test';
import { askTarget } from '#domain/targets/target-call.ts';
import type { ProtocolName } from '#domain/targets/protocols.ts';
import type { ConversationMessage } from '#evals/worlds/world.ts';

const id = '12345678901234567890';
const call = { id: 'a', name: 'find', arguments: { id: { $number: id } } };
const messages: readonly ConversationMessage[] = [
  { role: 'user', content: 'Find it.' },
  { role: 'assistant', content: '', calls: [call] },
  { role: 'tool', id: 'a', content: 'ok' },
];

async function exchange(protocol: ProtocolName, reply = '{}', said = messages) {
  const sent: string[] = [];
  const url = 'https://agent.example/';
  const memory = { a2a: { url, binding: 'HTTP+JSON', version: '1.0', tenant: null } };
  const outcome = await askTarget(
    {
      url,
      protocol,
      model: null,
      headers: {},
      timeoutMs: 1_000,
      messages: said,
      idempotencyKey: 'k',
      memory,
    },
    {
      http: { answerTimeoutMs: 1_000 },
      send: ({ body }) => {
        sent.push(String(body));
        const received = { status: 200, headers: {}, body: Buffer.from(reply), latencyMs: 1, address: '' };
        return Promise.resolve({ ok: true, ...received, attempts: 1 });
      },
      pause: () => Promise.resolve(0),
    },
  );
  return { outcome, sent: sent.join('') };
}

test.each(['hub', 'openai-chat', 'openai-responses', 'anthropic-messages'] as const)(
  '%s gets earlier calls as the agent made them',
  async (protocol) => {
    const { sent } = await exchange(protocol);
    expect(sent.replaceAll('\\', '')).toContain(`{"id":${id}}`);
    expect(sent).not.toContain('$number');
  },
);

test('the data of an A2A message are a text with all digits', async () => {
  const { outcome } = await exchange('a2a', `{"message":{"parts":[{"data":{"order_id":${id}}}]}}`);
  expect(outcome).toMatchObject({ ok: true, text: `{"order_id":${id}}` });
});

test('what is no number of JSON goes to targets as it is, not as broken JSON', async () => {
  for (const $number of ['1.2.3', '007', '1-2', 'e']) {
    const said = messages.with(1, {
      role: 'assistant',
      content: '',
      calls: [{ ...call, arguments: { $number } }],
    });
    const { sent } = await exchange('hub', '{}', said);
    expect(JSON.stringify(JSON.parse(sent))).toContain(JSON.stringify({ $number }));
  }
});
