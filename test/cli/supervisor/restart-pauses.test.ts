import { expect, test } from 'bun:test';
import { createRestartPauses } from '#cli/supervisor/restart-pauses.ts';

const policy = { firstMs: 100, mostMs: 1000, stableAfterMs: 5000 };

test('pauses double up to the maximum, and start over after a stable run', () => {
  const pauses = createRestartPauses({ ...policy, random: () => 0 });
  expect([0, 0, 0, 4999, 0, 0].map((ranForMs) => pauses.next(ranForMs))).toEqual([
    100, 200, 400, 800, 1000, 1000,
  ]);
  expect([5000, 0].map((ranForMs) => pauses.next(ranForMs))).toEqual([100, 200]);
});

test('jitter shortens a pause by at most a quarter', () => {
  const pauses = createRestartPauses({ ...policy, random: () => 0.999 });
  expect(pauses.next(0)).toBe(75);
});

test('the pause stays finite after a thousand failures in a row', () => {
  const pauses = createRestartPauses({ ...policy, random: () => 0 });
  for (let failure = 0; failure < 1000; failure += 1) pauses.next(0);
  expect(pauses.next(0)).toBe(1000);
});
