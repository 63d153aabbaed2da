/**
 * Many agents evaluate targets that take 25 seconds for each reply, against two runner processes. The run of another
 * agent takes at most three times as long as alone, plus two seconds, whether the slow agents signed up from one
 * network or from many. It took more than a minute before slots were shared fairly.
 */
import { expect, test } from 'bun:test';
import { onStore } from '#test/harness/stores.ts';
import { attackSize, report } from './attack-size.ts';
import { attackHub } from './attack-hub.ts';
import { allowedMs, measureSlowTargets } from './slow-targets.ts';

onStore('sqlite', (store) => {
  const hub = attackHub(store);

  test('a fast run is not delayed by many slow ones, from one network and then from many more', async () => {
    const figures = await measureSlowTargets(hub(), attackSize);
    report(`${store.dialect}, fast run beside slow ones, ms`, {
      alone: figures.aloneMs,
      ...figures.besideMs,
    });
    expect(Math.max(...Object.values(figures.besideMs))).toBeLessThan(allowedMs(figures));
  });
});
