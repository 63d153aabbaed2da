/** A target's secret headers are removed from what its replies repeat, in every form in which servers print them. */
import { describe, expect, test } from 'bun:test';
import { readOutcome } from '#domain/targets/target-call.ts';
import { redactorOf } from '#domain/targets/redact-secrets.ts';

const key = 'sk-Live/7f+Q2"x9';
const redact = redactorOf({ Authorization: `Bearer ${key}`, 'x-api-key': 'hunter2-hunter2' });
const htmlOf = (text: string) =>
  text.replaceAll('"', '&#x22;').replaceAll('/', '&#x2F;').replaceAll('+', '&#x2B;');
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('removes', () => {
  test.each([
    ['the value with its scheme', `Bearer ${key}`],
    ['the value without its scheme', key],
    ['the value in capitals', `BEARER ${key.toUpperCase()}`],
    ['the value in small letters', key.toLowerCase()],
    ['the value twice', `${key}${key}`],
    ['the value in JSON', JSON.stringify({ authorization: `Bearer ${key}` })],
    ['the value in JSON with escaped slashes', `Bearer ${key.replaceAll('/', String.raw`\/`)}`],
    ['the value in a URL', encodeURIComponent(key)],
    ['the value in a URL that keeps slashes', encodeURIComponent(key).replaceAll('%2F', '/')],
    ['the value in a URL that keeps reserved characters', encodeURI(key)],
    ['the value in HTML', key.replaceAll('"', '&quot;')],
    ['the value in HTML with numbers', key.replaceAll('"', '&#34;')],
    ['the value in HTML with all signs escaped', htmlOf(key)],
    [
      'the value in JSON for HTML pages',
      key.replaceAll('+', String.raw`\u002b`).replaceAll('"', String.raw`\u0022`),
    ],
    ['the value in base64', base64(key)],
    ['the value with its scheme in base64', base64(`Bearer ${key}`)],
    ['all headers in base64', base64(JSON.stringify({ 'x-api-key': 'hunter2-hunter2' }))],
    ['the value in base64 for URLs', Buffer.from(key).toString('base64url')],
    ['a value that was cut off', `Wrong key: ${key.slice(0, 12)}`],
  ])('%s', (_name, text) => {
    for (const offset of ['', 'x', 'xy']) {
      const shown = redact(`${offset} before ${text}`);
      expect(shown).toContain('[redacted]');
      expect(shown).toStartWith(`${offset} before`);
      for (const secret of [key.slice(0, 12), 'hunter2', base64(key).slice(0, 12)])
        expect(shown.toLowerCase()).not.toContain(secret.toLowerCase());
    }
  });

  test('the user and the password of basic credentials', () => {
    const basic = redactorOf({ authorization: `Basic ${base64('user:open sesame')}` });
    expect(basic(`Wrong password "open sesame" in ${base64('user:open sesame')}`)).toBe(
      'Wrong password "[redacted]" in [redacted]',
    );
  });
});

test('other texts are unchanged, and values too short for a secret are left alone', () => {
  for (const text of ['', 'The bearer of bad news', 'ſK-LİVE 7f', '😀'.repeat(50)])
    expect(redact(text)).toBe(text);
  expect(redactorOf({ 'x-version': '1', accept: '*/*' })('1 of 1 */*')).toBe('1 of 1 */*');
  expect(redactorOf({})('text')).toBe('text');
});

test('a long reply takes time in proportion to its length, whatever it contains', () => {
  const hostile = redactorOf(
    Object.fromEntries(
      Array.from({ length: 5 }, (_, index) => [
        `x-${index}`,
        `${'a'.repeat(999 + index)}b${'a'.repeat(999)}`,
      ]),
    ),
  );
  const timeOf = (length: number): number => {
    const text = `${'a'.repeat(1_990)}b`.repeat(Math.ceil(length / 1_991));
    const startedAt = performance.now();
    hostile(text);
    return performance.now() - startedAt;
  };
  timeOf(16_000);
  expect(timeOf(256_000)).toBeLessThan(16 * 8 * timeOf(16_000) + 50);
});

const headers = { authorization: `Bearer ${key}` };
const outcome = (body: string, status = 200) =>
  status === 200
    ? ({ ok: true, status, headers: {}, body: Buffer.from(body), latencyMs: 1, address: '' } as const)
    : ({
        ok: false,
        fault: 'bad_status',
        retryable: false,
        cause: null,
        retryAfter: null,
        status,
        body: Buffer.from(body),
      } as const);

test('the beginning of an unreadable reply and of an error page are without it', () => {
  for (const status of [200, 401]) {
    const read = readOutcome(outcome(`${'x'.repeat(490)} Bearer ${key}`, status), {
      url: 'https://a.test',
      protocol: 'hub',
      headers,
    });
    const excerpt = read.ok ? null : read.cause.excerpt;
    expect(excerpt).toBe(`${'x'.repeat(490)} [redacted`);
  }
});

test('the calls of a reply are without it', () => {
  const made = { name: `mail ${key}`, arguments: JSON.stringify({ [key]: [`Bearer ${key}`] }) };
  const message = { content: key, tool_calls: [{ id: key, function: made }] };
  const read = readOutcome(outcome(JSON.stringify({ choices: [{ message }] })), {
    url: 'https://a.test',
    protocol: 'openai-chat',
    headers,
    tools: [{ name: 'mail', description: '', parameters: {} }],
  });
  expect(read).toMatchObject({
    toolCalls: [{ id: '[redacted]', name: 'mail [redacted]', arguments: { '[redacted]': ['[redacted]'] } }],
  });
});
