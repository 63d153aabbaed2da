/** What each protocol sends of a message with images. */
import { expect, test } from 'bun:test';
import type { ProtocolName } from '#domain/targets/protocols.ts';
import { dataUrl, png, pngUrl } from '#test/harness/images.ts';
import { askInTurn } from './ask-in-turn.ts';

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
  const { sent } = await askInTurn({
    protocol,
    messages: said,
    ...(protocol === 'a2a' ? { binding: 'JSONRPC' } : {}),
  });
  return JSON.parse(sent[0] ?? '');
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
