/** What each protocol sends of a message with images. */
import { expect, test } from 'bun:test';
import { askTarget } from '#domain/targets/target-call.ts';
import type { ProtocolName } from '#domain/targets/protocols.ts';
import { dataUrl, png, pngUrl } from '#test/harness/images.ts';

const base64 = png.toString('base64');
const image = { sha256: 'a'.repeat(64), type: 'image/png', bytes: png.length, base64 } as const;
const gif = { ...image, type: 'image/gif' } as const;
const messages = [
  { role: 'user', content: 'What is it?', images: [image, gif] },
  { role: 'assistant', content: 'A cat.' },
  { role: 'user', content: 'And this?', images: [image] },
] as const;
const gifUrl = dataUrl(png, 'image/gif');

async function sentOver(protocol: ProtocolName, said: readonly (typeof messages)[number][] = messages) {
  const bodies: string[] = [];
  const call = { url: 'https://agent.example/', protocol, model: null, headers: {}, timeoutMs: 1_000 };
  const memory = {
    a2a: { url: call.url, binding: 'JSONRPC', version: '1.0', tenant: null },
  };
  await askTarget(
    { ...call, messages: said, idempotencyKey: 'k', ...(protocol === 'a2a' ? { memory } : {}) },
    {
      http: { answerTimeoutMs: 1_000 },
      send: ({ body }) => {
        bodies.push(String(body));
        return Promise.resolve({ ok: false, fault: 'timeout', received: null, attempts: 1 } as never);
      },
      pause: () => Promise.resolve(0),
    },
  );
  return JSON.parse(bodies[0] ?? '');
}

test('OpenAI chat completions get parts, and plain texts elsewhere', async () => {
  const part = (url: string) => ({ type: 'image_url', image_url: { url } });
  expect((await sentOver('openai-chat')).messages).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'What is it?' }, part(pngUrl), part(gifUrl)] },
    { role: 'assistant', content: 'A cat.' },
    { role: 'user', content: [{ type: 'text', text: 'And this?' }, part(pngUrl)] },
  ]);
});

test('OpenAI responses get parts', async () => {
  const part = (url: string) => ({ type: 'input_image', image_url: url });
  expect((await sentOver('openai-responses')).input).toEqual([
    { role: 'user', content: [{ type: 'input_text', text: 'What is it?' }, part(pngUrl), part(gifUrl)] },
    { role: 'assistant', content: 'A cat.' },
    { role: 'user', content: [{ type: 'input_text', text: 'And this?' }, part(pngUrl)] },
  ]);
});

test('Anthropic messages get blocks', async () => {
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

test("the hub's own protocol has data URLs in `messages`, also of a single one", async () => {
  expect(await sentOver('hub', [messages[2]])).toEqual({
    prompt: 'And this?',
    messages: [{ role: 'user', content: 'And this?', images: [pngUrl] }],
  });
});

test('A2A gets raw parts', async () => {
  expect((await sentOver('a2a', [messages[2]])).params.message.parts).toEqual([
    { text: 'And this?' },
    { raw: base64, mediaType: 'image/png' },
  ]);
});
