/** The memory of a fuzzed hub is judged by what it holds on to as requests go by. */
import { expect, test } from 'bun:test';
import { judgeWeights, type Weight } from './judge-weights.ts';

const weighed = (growMb: { readonly heap?: number; readonly rss?: number }, times = 40): Weight[] =>
  Array.from({ length: times }, (_, index) => {
    const through = (index + 1) / times;
    return {
      sent: (index + 1) * 2_500,
      // It trembles, and takes most of it while it warms up.
      heapMb: 40 + (index % 3) + Math.min(through * 4, 1) * 20 + (growMb.heap ?? 0) * through,
      rssMb: 180 + (index % 5) * 4 + Math.min(through * 4, 1) * 60 + (growMb.rss ?? 0) * through,
    };
  });
const verdicts = (weights: readonly Weight[]) => judgeWeights(weights).map(({ holds }) => holds);

test('a hub that warms up, trembles and then stays as it is passes', () => {
  expect(verdicts(weighed({}))).toEqual([true, true]);
});

test('a heap that grows by two hundred bytes with each request, or memory outside of it by a kilobyte, fails', () => {
  expect(verdicts(weighed({ heap: 20 }))).toEqual([false, true]);
  expect(verdicts(weighed({ rss: 100 }))).toEqual([true, false]);
});

test('a hub that was hardly weighed has not been judged', () => {
  expect(verdicts(weighed({ heap: 20 }, 12))).toEqual([null, null]);
});
