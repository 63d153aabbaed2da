/** Two runs of the same items: few false alarms, and changes that unpaired runs do not find. */
import { expect, test } from 'bun:test';
import { comparePairs } from '#evals/suite/compare-pairs.ts';
import { createRandom } from '#evals/random.ts';

const trials = 400;

/** @param gain of the second run, in the probability of each item @param repeat how often each item is asked */
function simulate(items: number, gain: number, repeat: number) {
  const random = createRandom('5'.repeat(32), `${items}/${gain}/${repeat}`);
  const share = (p: number) =>
    Array.from({ length: repeat }, () => Number(random.chance(p))).reduce((sum, one) => sum + one, 0) /
    repeat;
  return Array.from({ length: trials }, () =>
    comparePairs(
      Array.from({ length: items }, () => {
        // Most items are either easy or hard for an agent, and few are in between.
        const p = random.pick([0.03, 0.03, 0.1, 0.5, 0.9, 0.97, 0.97]);
        return { before: share(p), after: share(Math.min(1, p + gain)) };
      }),
    ),
  );
}

test.each([24, 40])('equal agents are called different at most 5 times in 100 over %d items', (items) => {
  for (const repeat of [1, 4]) {
    const alarms = simulate(items, 0, repeat).filter((one) => one?.clear === true).length / trials;
    console.log(`false alarms over ${items} items, asked ${repeat} times: ${(100 * alarms).toFixed(1)} %`);
    // Three standard errors of the simulation above 5 %.
    expect(alarms).toBeLessThan(0.083);
  }
});

test('24 tasks find a change of 20 points with one replay, and of 12 points asked four times', () => {
  const detectable = (repeat: number) => {
    const found = simulate(24, 0, repeat).map((one) => one?.detectable ?? 0);
    return found.reduce((sum, one) => sum + one, 0) / found.length;
  };
  const [once, fourTimes] = [detectable(1), detectable(4)];
  console.log(
    `detectable with 24 tasks: ${once.toFixed(1)} points once, ${fourTimes.toFixed(1)} asked four times`,
  );
  expect(once).toBeLessThan(24);
  expect(fourTimes).toBeLessThan(12);
});

test('runs without a common item have no comparison, and without a change no evidence', () => {
  expect(comparePairs([])).toBeNull();
  const same = comparePairs([
    { before: 1, after: 1 },
    { before: 0.5, after: 0.5 },
  ]);
  expect(same).toMatchObject({ items: 2, before: 75, after: 75, change: 0, p: 1, clear: false });
});
