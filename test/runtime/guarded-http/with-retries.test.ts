import { describe, expect, test } from 'bun:test';

import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { createGuardedHttp } from '#runtime/guarded-http/guarded-request.ts';
import { failed, type GuardedFailure } from '#runtime/guarded-http/outcome.ts';
import { withRetries, type RetryOptions } from '#runtime/guarded-http/with-retries.ts';

import { startRawServer } from './support/raw-server.ts';

const http = createGuardedHttp({ policy: createAddressPolicy(['loopback']) });

const answer = (status: number, headers = '') =>
  `HTTP/1.1 ${status} X\r\n${headers}Content-Length: 0\r\n\r\n`;

const rules = {
  mayRetry: ({ fault }: GuardedFailure, attempts: number) =>
    attempts <= 2 && (fault === 'bad_status' || fault === 'unreachable'),
  maxPauseMs: 5_000,
};
const unreachable = () => Promise.resolve(failed('unreachable', null));

/** Calls a target that gives these responses in order; pauses are recorded instead of waited for. */
async function ask(answers: readonly string[], options: Partial<RetryOptions> = {}) {
  const left = [...answers];
  await using server = await startRawServer((socket) => socket.write(left.shift() ?? answer(500)));
  const pauses: number[] = [];
  const outcome = await withRetries(() => http.request({ url: server.url, method: 'POST', body: '{}' }), {
    ...rules,
    sleep: (ms) => {
      pauses.push(ms);
      return Promise.resolve();
    },
    random: () => 0,
    ...options,
  });
  return { outcome, pauses };
}

describe('a request with retries', () => {
  test('is made once when it succeeds', async () => {
    const { outcome, pauses } = await ask([answer(200)]);
    expect(outcome).toMatchObject({ ok: true, status: 200, attempts: 1 });
    expect(pauses).toEqual([]);
  });

  test.each([[429], [502], [503], [504]])(
    'retries after %i and returns the first success',
    async (status) => {
      const { outcome, pauses } = await ask([answer(status), answer(status), answer(200)]);
      expect(outcome).toMatchObject({ ok: true, status: 200, attempts: 3 });
      expect(pauses).toEqual([250, 500]);
    },
  );

  test('gives up after two retries with the last failure', async () => {
    const { outcome } = await ask([answer(503), answer(429), answer(504), answer(200)]);
    expect(outcome).toMatchObject({ ok: false, fault: 'bad_status', status: 504, attempts: 3 });
  });

  test('is not repeated when `mayRetry` says no', async () => {
    const { outcome } = await ask(['garbage\r\n\r\n', answer(200)]);
    expect(outcome).toMatchObject({ fault: 'bad_response', attempts: 1 });
  });

  test('retries after connect errors', async () => {
    const { url, [Symbol.asyncDispose]: close } = await startRawServer();
    await close();
    const outcome = await withRetries(() => http.request({ url, method: 'POST' }), {
      ...rules,
      sleep: () => Promise.resolve(),
    });
    expect(outcome).toMatchObject({ ok: false, fault: 'unreachable', attempts: 3 });
  });

  test('is repeated until `mayRetry` says no, which gets the number of attempts so far', async () => {
    const asked: number[] = [];
    const mayRetry = (_outcome: GuardedFailure, attempts: number) => {
      asked.push(attempts);
      return attempts < 5;
    };
    const outcome = await withRetries(unreachable, { ...rules, mayRetry, sleep: () => Promise.resolve() });
    expect(asked).toEqual([1, 2, 3, 4, 5]);
    expect(outcome.attempts).toBe(5);
  });
});

describe('the pause before a retry', () => {
  test('grows, is reduced by up to half at random, and is bounded', async () => {
    const many = Array.from({ length: 8 }, () => answer(503));
    const mayRetry = (_outcome: GuardedFailure, attempts: number) => attempts <= 6;
    expect((await ask(many, { mayRetry })).pauses).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000]);
    expect((await ask(many, { random: () => 0.999_999 })).pauses.map(Math.round)).toEqual([125, 250]);
  });

  const clock = { now: () => new Date('2026-01-01T00:00:00Z') };
  test.each([
    ['2', 2_000],
    ['0', 250],
    ['3600', 5_000],
    ['99999999999999999999', 5_000],
    ['Thu, 01 Jan 2026 00:00:03 GMT', 3_000],
    ['Thu, 01 Jan 2099 00:00:00 GMT', 5_000],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 250],
    ['soon', 250],
    ['-5', 250],
    ['', 250],
  ])('follows Retry-After: %s for %i ms', async (header, pause) => {
    const { pauses } = await ask([answer(503, `Retry-After: ${header}\r\n`), answer(200)], { clock });
    expect(pauses).toEqual([pause]);
  });

  test('ends at once when the caller aborts, and so does the request', async () => {
    await using server = await startRawServer((socket) => socket.write(answer(503, 'Retry-After: 60\r\n')));
    const signal = AbortSignal.timeout(30);
    const startedAt = performance.now();
    const send = () => http.request({ url: server.url, method: 'POST', signal });
    const outcome = await withRetries(send, { ...rules, signal });
    expect(outcome).toMatchObject({ ok: false, fault: 'aborted', retryable: false, attempts: 1 });
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });

  test('really waits', async () => {
    const startedAt = performance.now();
    await withRetries(unreachable, { ...rules, maxPauseMs: 30, random: () => 0 });
    expect(performance.now() - startedAt).toBeWithin(58, 20_000);
  });
});
