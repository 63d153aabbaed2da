/**
 * The hub and an OpenAI-style client call the same target. `foreign.test.ts` does the same with the official client.
 */
import { expect, test } from 'bun:test';
import { healthCheckSize } from '#evals/health/health-check.ts';
import { useTestHub } from '#test/harness/hub.ts';
import { expectRetold } from '#test/harness/retell.ts';
import { completeChatRun } from './chat-run.ts';
import { startChatServer } from './chat-server.ts';

const hub = useTestHub();

test('a whole run against an OpenAI-style target asks it every turn of every case', async () => {
  const server = startChatServer();
  const asked = await fetch(server.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${server.key}` },
    body: JSON.stringify({ model: server.model, messages: [{ role: 'user', content: 'Say something.' }] }),
  });
  expect([asked.status, await asked.json()]).toMatchObject([200, { object: 'chat.completion' }]);
  const size = healthCheckSize({ size: 'standard', maxPromptTokens: 8_000, tools: true });
  const job = await completeChatRun(hub, server);
  expect(job).toMatchObject({
    status: 'completed',
    progress: { done: size, total: size },
    charge: { state: 'consumed' },
    target: { protocol: 'openai-chat', model: server.model, header_names: ['authorization'] },
  });
  await expectRetold(hub.ctx, job.id);
  expect(JSON.stringify(job)).not.toContain(server.key);
  await server.stop();
});
