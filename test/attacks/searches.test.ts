/**
 * The most expensive searches, ten a second, against a hub on SQLite. `/v1/health` stays below 50 ms. It took 1.7
 * seconds when searches ran in the event loop of the API.
 */
import { expect, test } from 'bun:test';
import { onStore } from '#test/harness/stores.ts';
import { attackHub } from './attack-hub.ts';
import { attackSize, quantile, report } from './attack-size.ts';
import { measureSearches } from './costly-searches.ts';

/** A pause of the machine may hit one of the two processes. A defect shows every time. */
const measurementsMax = 3;

onStore('sqlite', (store) => {
  const hub = attackHub(store);

  test('health stays fast during the worst searches', async () => {
    let { searched, other, statuses } = await measureSearches(hub(), attackSize);
    for (let taken = 1; taken < measurementsMax && quantile(searched, 0.99) >= limitOf(other); taken += 1)
      ({ searched, other, statuses } = await measureSearches(hub(), attackSize));
    report('health beside searches, ms', {
      p50: quantile(searched, 0.5),
      p99: quantile(searched, 0.99),
      'p50 of another process': quantile(other, 0.5),
      'p99 of another process': quantile(other, 0.99),
    });
    expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(statuses.has(200)).toBe(true);
    // On a busy machine, a process that serves no searches is slow too. Searches in the event loop multiply the p50 by ten.
    expect(quantile(searched, 0.5)).toBeLessThan(Math.max(3, 3 * quantile(other, 0.5)));
    expect(quantile(searched, 0.99)).toBeLessThan(limitOf(other));
  }, 300_000);
});

/** For the p99 of the process that searches. */
function limitOf(other: readonly number[]): number {
  return Math.max(50, 3 * quantile(other, 0.99));
}
