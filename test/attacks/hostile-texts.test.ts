/**
 * Agents send the most hostile texts to every door that takes text. `/v1/health` stays as fast as beside harmless
 * texts of the same size, and a runner answers while its targets reply with such texts. One text stopped the API for a
 * second before texts were folded in linear time and graded in a thread.
 */
import { expect, test } from 'bun:test';
import { onStore } from '#test/harness/stores.ts';
import { attackHub } from './attack-hub.ts';
import { attackSize, quantile, report } from './attack-size.ts';
import { measureHostileReplies, measureHostileTexts, type TextFigures } from './hostile-texts.ts';

/** A pause of the machine may hit one of the two measurements. A defect shows every time. */
const measurementsMax = 3;

onStore('sqlite', (store) => {
  const hub = attackHub(store);

  test('health stays fast beside hostile texts', async () => {
    let figures = await measureHostileTexts(hub(), attackSize);
    for (let taken = 1; taken < measurementsMax && !isFast(figures); taken += 1)
      figures = await measureHostileTexts(hub(), attackSize);
    const { harmless, hostile, statuses } = figures;
    report(`${store.dialect}, health beside texts, ms`, {
      'harmless p50': quantile(harmless, 0.5),
      'harmless p99': quantile(harmless, 0.99),
      'hostile p50': quantile(hostile, 0.5),
      'hostile p99': quantile(hostile, 0.99),
      'hostile max': Math.max(...hostile),
    });
    expect([...statuses.keys()].filter((status) => status.endsWith(': 500'))).toEqual([]);
    for (const accepted of ['practice: 200', 'answers: 200', 'a thread: 201', 'a page of posts: 200'])
      expect([...statuses.keys()]).toContain(accepted);
    expect(isFast(figures)).toBe(true);
  }, 300_000);
});

onStore('sqlite', (store) => {
  const hub = attackHub(store);

  test('a runner responds while its targets reply with hostile texts, and every ranked run counts', async () => {
    const { longestMs, replies, ends } = await measureHostileReplies(hub(), attackSize);
    report('a runner beside hostile replies', { 'longest ms': longestMs, replies });
    // The supervisor kills a process that is silent for ten seconds.
    expect(longestMs).toBeLessThan(3_000);
    expect(new Set(ends)).toEqual(new Set(['completed']));
  }, 300_000);
});

/** The p99 is at most 20 ms, or twice that beside harmless texts. */
function isFast({ harmless, hostile }: TextFigures): boolean {
  return quantile(hostile, 0.99) <= Math.max(20, 2 * quantile(harmless, 0.99));
}
