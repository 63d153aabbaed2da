import { expect, test } from 'bun:test';
import { judgeWeights, type Weight } from './judge-weights.ts';

const weighed = (growMb: { readonly heap?: number; readonly rss?: number }, times = 40): Weight[] =>
  Array.from({ length: times }, (_, index) => {
    const through = (index + 1) / times;
    return {
      sent: (index + 1) * 2_500,
      // It varies, and grows mostly during the warm-up.
      heapMb: 40 + (index % 3) + Math.min(through * 4, 1) * 20 + (growMb.heap ?? 0) * through,
      rssMb: 180 + (index % 5) * 4 + Math.min(through * 4, 1) * 60 + (growMb.rss ?? 0) * through,
    };
  });
const verdicts = (weights: readonly Weight[]) => judgeWeights(weights).map(({ holds }) => holds);

test('memory that warms up, varies and then stays the same passes', () => {
  expect(verdicts(weighed({}))).toEqual([true, true]);
});

test('a heap that grows by 200 bytes per request, or other memory that grows by a kilobyte, fails', () => {
  expect(verdicts(weighed({ heap: 20 }))).toEqual([false, true]);
  expect(verdicts(weighed({ rss: 100 }))).toEqual([true, false]);
});

test('too few measurements give no verdict', () => {
  expect(verdicts(weighed({ heap: 20 }, 12))).toEqual([null, null]);
});
