import { expect, test } from 'bun:test';
import { AbandonedBody } from '#api/request/body.ts';
import { createLongBodies } from '#api/request/long-bodies.ts';
import { errorResponse } from '#api/response/responses.ts';

/** A body that never ends by itself. */
const stall = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

const claimant = (agentId: string | null, network = agentId) =>
  agentId === null ? null : { agentId, network: network ?? '' };

function stalled(
  count: number,
  agentOf: (index: number) => string | null,
  networkOf: typeof agentOf = agentOf,
) {
  const clock = { now: 0 };
  const bodies = createLongBodies('documents', () => clock.now);
  const ended: unknown[] = [];
  const send = (agentId: string | null, network = agentId) =>
    bodies.read(claimant(agentId, network), async () => 'read');
  for (let index = 0; index < count; index += 1) {
    void bodies
      .read(claimant(agentOf(index), networkOf(index)), stall)
      .catch((error: unknown) => ended.push(error));
  }
  return { clock, bodies, ended, send };
}

test('16 large bodies are read at once; the next one is refused until the oldest has taken 5 seconds', async () => {
  const { clock, ended, send } = stalled(16, (index) => `agent ${index}`);
  clock.now = 4_999;
  await expect(send('other')).rejects.toMatchObject({
    code: 'rate_limited',
    message: 'The hub is already receiving 16 large documents.',
  });
  clock.now = 5_000;
  expect(await send('other')).toBe('read');
  // The one that gave way has freed its place for good.
  expect(await send('other')).toBe('read');
  expect(ended).toHaveLength(1);
});

test('an agent has four places, so it keeps nobody else out', async () => {
  const { clock, ended, send } = stalled(4, () => 'one');
  await expect(send('one')).rejects.toMatchObject({
    code: 'rate_limited',
    message: 'You are already sending 4 large documents.',
  });
  expect(await send('other')).toBe('read');
  clock.now = 5_000;
  expect(await send('one')).toBe('read');
  expect(ended).toHaveLength(1);
});

test('an agent with four places that have taken long ends only one body, its own, when all places are taken', async () => {
  const { clock, ended, send } = stalled(16, (index) => (index < 4 ? `agent ${index}` : `one ${index >> 2}`));
  clock.now = 5_000;
  expect(await send('one 3')).toBe('read');
  expect(ended).toHaveLength(1);
  expect(await send('agent 0')).toBe('read');
  expect(ended).toHaveLength(1);
});

test('strangers share the 16 places, and a place is free again after a failure', async () => {
  const { bodies, send } = stalled(15, () => null);
  const failing = bodies.read(null, () => Promise.reject(new Error('broken off')));
  await expect(send(null)).rejects.toMatchObject({ code: 'rate_limited' });
  await expect(failing).rejects.toThrow('broken off');
  expect(await send(null)).toBe('read');
});

test('the places are shared between networks: nine keys of one keep nobody of another out', async () => {
  const { ended, send } = stalled(
    16,
    (index) => `agent ${index % 9}`,
    () => 'hogs',
  );
  expect(await send('other')).toBe('read');
  expect(ended).toHaveLength(1);
  await expect(send('tenth', 'hogs')).resolves.toBe('read');
  void send('tenth', 'hogs');
  expect(ended).toHaveLength(1);
});

test('a body that is not read to its end ends the connection', () => {
  const { headers, status } = errorResponse(new AbandonedBody('rate_limited', 'Others were waiting.'), {
    requestId: 'r',
  });
  expect([status, headers.get('connection')]).toEqual([429, 'close']);
});
