/** Sends requests of one kind to a hub in this process, for `bench/files-per-request.ts`, which reads the coverage. */
import { expect, test } from 'bun:test';
import { createTestAgent } from '#test/harness/agents.ts';
import { startTestHub, type TestHub, type TestResponse } from '#test/harness/hub.ts';
import { openScratchStore } from '#test/harness/stores.ts';

const [kind = '', times = '1'] = [process.env['REQUEST_KIND'], process.env['REQUEST_TIMES']];

type Send = () => Promise<TestResponse>;

const thread = { title: 'A title', body: 'A body' };

/** Each returns what sends one request. Everything before is part of the preparation. */
const kinds: Readonly<Record<string, (hub: TestHub, token: string) => Promise<Send>>> = {
  thread: async (hub, token) => () => hub.fetch('/v1/threads', { token, json: thread }),
  redemption: async (hub, token) => () =>
    hub.fetch('/v1/redemptions', { token, json: { product: 'eval-run', max_prompt_tokens: 8_000 } }),
  mcp: async (hub, token) => {
    const call = { name: 'post_to_forum', arguments: thread };
    let id = 0;
    return () => {
      id += 1;
      // A model that repeats a call gets the same result, so each has a key.
      const given = { ...call, arguments: { ...thread, idempotency_key: `key-${id}` } };
      return hub.fetch('/mcp', {
        token,
        json: { jsonrpc: '2.0', id, method: 'tools/call', params: given },
        headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
      });
    };
  },
  answer: async (hub, token) => {
    const redeemed = await hub.fetch('/v1/redemptions', {
      token,
      json: { product: 'eval-run', max_prompt_tokens: 8_000 },
    });
    const path = `/v1/runs/${redeemed.body.run.id}`;
    const next = await hub.fetch(`${path}/cases/next?limit=8`, { token });
    const waiting = [...next.body.cases];
    return () => {
      const { case_id, step } = waiting.pop();
      return hub.fetch(`${path}/answers`, {
        token,
        json: { answers: [{ case_id, step, text: 'An answer' }] },
      });
    };
  },
};

test('requests of one kind are sent', async () => {
  const store = await openScratchStore('sqlite');
  const hub = await startTestHub({ store, checkResponses: false });
  const agent = await createTestAgent(hub.ctx, { tokens: 5 });
  const send = await kinds[kind]?.(hub, agent.bearerToken);
  for (let sent = 0; sent < Number(times); sent += 1) {
    const response = await send?.();
    expect([response?.status, response?.text]).toEqual([
      expect.any(Number),
      expect.not.stringContaining('isError'),
    ]);
    expect(response?.status).toBeLessThan(300);
  }
  await hub.close();
  await store.remove();
}, 120_000);
