/**
 * What a call to a target sends in each protocol, and how often it is retried. `error-responses.test.ts` has every failure.
 */
import { afterAll, describe, expect, test } from 'bun:test';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { createGuardedHttp } from '#runtime/guarded-http/guarded-request.ts';
import type { TargetCall } from '#domain/targets/protocol.ts';
import { callTarget } from '#workers/eval-runner/call-target.ts';
import { startTarget } from '#test/harness/target.ts';
import { startRawServer } from '#test/runtime/guarded-http/support/raw-server.ts';

const http = createGuardedHttp({
  policy: createAddressPolicy(['loopback']),
  limits: { answerTimeoutMs: 1_000 },
});
afterAll(() => http.close());

function call(url: string, changes: Partial<TargetCall> = {}) {
  return callTarget(http, async () => () => undefined, {
    url,
    protocol: 'hub',
    model: null,
    headers: {},
    timeoutMs: null,
    messages: [{ role: 'user', content: 'What is 2 + 3?' }],
    idempotencyKey: 'run-0',
    signal: new AbortController().signal,
    ...changes,
  });
}

test('the hub protocol posts the last prompt, and the conversation if it has other messages', async () => {
  await using target = startTarget(() => 'five');
  const messages = [
    { role: 'user', content: 'One' },
    { role: 'assistant', content: 'Two' },
    { role: 'user', content: 'Three' },
  ] as const;
  expect(await call(target.url, { messages })).toMatchObject({ ok: true, text: 'five', attempts: 1 });
  expect(target.calls[0]!.body).toEqual({ prompt: 'Three', messages });
  await call(target.url);
  expect(target.calls[1]!.body).toEqual({ prompt: 'What is 2 + 3?' });
});

describe('tries', () => {
  test.each([
    [429, 3],
    [503, 3],
    [500, 2],
    [502, 2],
    [504, 2],
    [302, 1],
    [404, 1],
  ])('status %i %i times', async (status, attempts) => {
    const headers = { 'retry-after': '0', location: '/' };
    await using target = startTarget(() => new Response('no', { status, headers }));
    expect(await call(target.url)).toMatchObject({
      ok: false,
      code: 'target_bad_status',
      attempts,
      cause: { status, connection: null, excerpt: 'no', expected: 'status 200 with JSON {"text": "…"}' },
    });
    expect(target.calls).toHaveLength(attempts);
  });

  test('a response that is no HTTP twice, and an address without a server twice', async () => {
    const raw = await startRawServer((socket) => socket.end('garbage\r\n\r\n'));
    expect(await call(raw.url)).toMatchObject({ code: 'target_bad_response', attempts: 2 });
    await raw[Symbol.asyncDispose]();
    expect(await call(raw.url)).toMatchObject({ code: 'target_unreachable', attempts: 2 });
  });

  test('a target that is too slow once', async () => {
    await using target = startTarget(() => Promise.withResolvers<string>().promise);
    expect(await call(target.url, { timeoutMs: 50 })).toMatchObject({
      code: 'target_timeout',
      attempts: 1,
      cause: { status: null, connection: 'timeout' },
    });
  });
});

test('a URL that ends in a version is said to lack the path of chats', async () => {
  await using target = startTarget(() => new Response('no', { status: 404 }));
  const base = target.url.replace('/answer', '/v1');
  const reply = await call(base, { protocol: 'openai-chat' });
  expect(reply).toMatchObject({ ok: false, problem: expect.stringContaining('`/chat/completions`') });
  expect(await call(base)).toMatchObject({ problem: 'The target responded with status 404.' });
});

test('a compressed reply is not asked for again', async () => {
  const headers = { 'content-encoding': 'gzip' };
  await using target = startTarget(() => new Response(Bun.gzipSync('{"text":"five"}'), { headers }));
  expect(await call(target.url)).toMatchObject({ code: 'target_bad_response', attempts: 1 });
  expect(target.calls).toHaveLength(1);
});

describe('describes', () => {
  test('a port without TLS', async () => {
    await using target = startTarget(() => 'x');
    const reply = await call(target.url.replace('http:', 'https:'));
    expect(reply).toMatchObject({ code: 'target_unreachable', cause: { connection: 'tls' } });
  });

  test('a hub reply where a chat completion was expected, at most 500 characters of it', async () => {
    await using target = startTarget(() => 'x'.repeat(600));
    const reply = await call(target.url, { protocol: 'openai-chat' });
    expect(reply).toMatchObject({
      problem:
        "The reply is a reply of the hub's own protocol, with `text`. Redeem with `target.protocol` `hub`.",
      cause: { excerpt: `{"text":"${'x'.repeat(491)}` },
    });
  });
});
