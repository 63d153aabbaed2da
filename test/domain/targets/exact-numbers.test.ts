/** Numbers that JavaScript rounds reach targets, and come from them, with all their digits. */
import { expect, test } from 'bun:test';
import type { ConversationMessage } from '#evals/worlds/world.ts';
import { askInTurn } from './ask-in-turn.ts';

const id = '12345678901234567890';
const call = { id: 'a', name: 'find', arguments: { id: { $number: id } } };
const messages: readonly ConversationMessage[] = [
  { role: 'user', content: 'Find it.' },
  { role: 'assistant', content: '', calls: [call] },
  { role: 'tool', id: 'a', content: 'ok' },
];

test.each(['hub', 'openai-chat', 'openai-responses', 'anthropic-messages'] as const)(
  '%s gets earlier calls as the agent made them',
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
    const calls = [{ ...call, arguments: { $number } }];
    const said = messages.with(1, { role: 'assistant', content: '', calls });
    const [sent = ''] = (await askInTurn({ protocol: 'hub', messages: said })).sent;
    expect(JSON.stringify(JSON.parse(sent))).toContain(JSON.stringify({ $number }));
  }
});
