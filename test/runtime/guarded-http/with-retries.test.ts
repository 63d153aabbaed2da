import { describe, expect, test } from 'bun:test';
import { badStatus, failed, type GuardedOutcome } from '#runtime/guarded-http/outcome.ts';
import { withRetries, type RetryOptions } from '#runtime/guarded-http/with-retries.ts';

const body = new Uint8Array();
const success = { ok: true, status: 200, headers: {}, body, latencyMs: 1, address: '' } as const;
const unreachable = failed('unreachable', null);
const busy = (retryAfter: string | null = null) => badStatus(503, retryAfter, body);
const rules = { mayRetry: (_: unknown, attempts: number) => attempts <= 2, maxPauseMs: 5_000 };

/** Makes attempts with these outcomes in order; pauses are recorded instead of waited for. */
async function retry(outcomes: readonly GuardedOutcome[], options: Partial<RetryOptions> = {}) {
  const left = [...outcomes];
  const pauses: number[] = [];
  const sleep = async (ms: number) => void pauses.push(ms);
  const attempt = async () => left.shift() ?? busy();
  const outcome = await withRetries(attempt, { ...rules, sleep, random: () => 0, ...options });
  return { outcome, pauses };
}

describe('a request with retries', () => {
  test('ends with the first success', async () => {
    expect(await retry([success])).toEqual({ outcome: { ...success, attempts: 1 }, pauses: [] });
    const third = { outcome: { ...success, attempts: 3 }, pauses: [250, 500] };
    expect(await retry([busy(), unreachable, success])).toEqual(third);
  });

  test('ends with the last failure when `mayRetry`, which gets it and the number of attempts, says no', async () => {
    const asked: unknown[] = [];
    const mayRetry: RetryOptions['mayRetry'] = ({ fault }, attempts) => {
      asked.push(`${fault} ${attempts}`);
      return attempts < 3;
    };
    const { outcome } = await retry([busy(), unreachable, failed('timeout', null), success], { mayRetry });
    expect(outcome).toMatchObject({ ok: false, fault: 'timeout', attempts: 3 });
    expect(asked).toEqual(['bad_status 1', 'unreachable 2', 'timeout 3']);
  });
});

describe('the pause before a retry', () => {
  test('grows, is reduced by up to half at random, and is bounded', async () => {
    const mayRetry: RetryOptions['mayRetry'] = (_, attempts) => attempts <= 6;
    expect((await retry([], { mayRetry })).pauses).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000]);
    expect((await retry([], { random: () => 0.999_999 })).pauses.map(Math.round)).toEqual([125, 250]);
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
    expect((await retry([busy(header), success], { clock })).pauses).toEqual([pause]);
  });

  test('ends at once when the caller aborts, and so does the request', async () => {
    const signal = AbortSignal.timeout(30);
    const startedAt = performance.now();
    const outcome = await withRetries(async () => busy('60'), { ...rules, maxPauseMs: 60_000, signal });
    expect(outcome).toMatchObject({ ok: false, fault: 'aborted', retryable: false, attempts: 1 });
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });

  test('really waits', async () => {
    const startedAt = performance.now();
    await withRetries(async () => unreachable, { ...rules, maxPauseMs: 30, random: () => 0 });
    expect(performance.now() - startedAt).toBeWithin(58, 20_000);
  });
});
