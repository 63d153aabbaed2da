import { expect, test } from 'bun:test';
import { LeaseKeeper } from '#workers/eval-runner/lease-keeper.ts';
import { silentLogger } from '#test/harness/silent-logger.ts';

const claim = { runId: crypto.randomUUID(), attempt: 1 };

test.each([true, false])(
  'work that ends during a renewal waits for it, so that no lease is renewed after its release (the renewal succeeds: %p)',
  async (succeeds) => {
    const begun = Promise.withResolvers<void>();
    const renewal = Promise.withResolvers<readonly boolean[]>();
    const events: string[] = [];
    const keeper = new LeaseKeeper(() => {
      begun.resolve();
      return renewal.promise.finally(() => events.push('renewed'));
    }, silentLogger);
    const holding = keeper.whileHolding(claim, () => begun.promise).then(() => events.push('over'));
    await begun.promise;
    // Work that does not wait is over long before.
    await Bun.sleep(50);
    if (succeeds) renewal.resolve([true]);
    else renewal.reject(new Error('The store is away.'));
    await holding;
    expect(events).toEqual(['renewed', 'over']);
    keeper.close();
  },
);
