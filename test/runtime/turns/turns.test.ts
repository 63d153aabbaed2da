/** The order in which agents get a shared resource. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Claimant, createLocalTurns, LineFullError, sliceMs, TurnOrder } from '#runtime/turns/turns.ts';

const waiting = (agentId: string, network = agentId) => ({ claimant: { agentId, network } });

test('networks are compared first, then agents within a network; at both levels by places, then by slot-time', () => {
  let now = 0;
  const order = new TurnOrder(() => now);
  const next = (...all: ReturnType<typeof waiting>[]) => order.next(all)?.claimant.agentId;
  const end = order.hold(waiting('a', 'crowd').claimant);
  // An agent without a place waits if its network has one.
  expect(next(waiting('b', 'crowd'), waiting('c'))).toBe('c');
  expect(next(waiting('a', 'crowd'), waiting('b', 'crowd'))).toBe('b');
  now = 2 * sliceMs;
  end();
  expect(next(waiting('b', 'crowd'), waiting('c'))).toBe('c');
  expect(next(waiting('a', 'crowd'), waiting('b', 'crowd'))).toBe('b');
  expect(order.isNew(waiting('b', 'crowd').claimant)).toBe(false);
  expect(order.isFirst(waiting('b', 'crowd').claimant, [waiting('a', 'crowd')])).toBe(true);
  expect(order.isFirst(waiting('b', 'crowd').claimant, [waiting('c')])).toBe(false);
  now += 10 * 60_000;
  expect(order.isNew(waiting('a', 'crowd').claimant)).toBe(true);
});

test('among equals, the newest and the oldest take turns, and the calls of one agent keep their order', () => {
  const order = new TurnOrder();
  const all = ['oldest', 'older', 'newest'].map((name) => waiting(name));
  expect([order.next(all), order.next(all), order.next(all)]).toEqual([all[2], all[0], all[2]]);
  const own = [waiting('one'), waiting('one')];
  expect([order.next(own), order.next(own)]).toEqual([own[0], own[0]]);
});

test('among equals, the one whose last calls were the shortest and the oldest take turns', () => {
  let now = 0;
  const order = new TurnOrder(() => now);
  const call = (agentId: string, tookMs: number): void => {
    const end = order.hold(waiting(agentId).claimant);
    now += tookMs;
    end();
  };
  call('long', 40);
  call('short', 2);
  const all = ['long', 'short', 'new'].map((name) => waiting(name));
  expect([order.next(all), order.next(all), order.next(all)]).toEqual([all[1], all[0], all[1]]);
});

test('one long call among short ones does not make an agent slow, two do', () => {
  let now = 0;
  const order = new TurnOrder(() => now, { quickMs: 100 });
  const { claimant } = waiting('one');
  const calls = [2, 2, 2, 900, 900].map((tookMs) => {
    const end = order.hold(claimant);
    now += tookMs;
    end();
    return order.isQuick(claimant);
  });
  expect(calls).toEqual([true, true, true, true, false]);
});

test('the number of places is never exceeded, and every waiting agent gets one', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 8 }),
      fc.array(fc.record({ agentId: fc.constantFrom('a', 'b', 'c'), network: fc.constantFrom('n', 'm') }), {
        maxLength: 40,
      }),
      async (max, claimants: readonly Claimant[]) => {
        const turns = createLocalTurns({ max });
        let held = 0;
        let most = 0;
        await Promise.all(
          claimants.map(async (claimant) => {
            const release = await turns.take(claimant, undefined);
            most = Math.max(most, ++held);
            await Promise.resolve();
            held -= 1;
            release();
          }),
        );
        expect([most <= max, held]).toEqual([true, 0]);
      },
    ),
    { numRuns: 100 },
  );
});

test('the last quarter of the places of a process is reserved for callers that have used little', async () => {
  let now = 0;
  const turns = createLocalTurns({ max: 4, order: new TurnOrder(() => now) });
  const slow = { agentId: 'slow', network: 'slow' };
  const releases = await Promise.all([1, 2, 3].map(() => turns.take(slow, undefined)));
  now = 2 * sliceMs;
  const order: string[] = [];
  const waits = turns.take(slow, undefined).then((release) => {
    order.push('slow');
    return release;
  });
  const release = await turns.take({ agentId: 'fast', network: 'fast' }, undefined);
  order.push('fast');
  release();
  releases[0]!();
  await waits;
  expect(order).toEqual(['fast', 'slow']);
});

test('who leaves the line, or waits in it for too long, takes no slot and no place in it', async () => {
  const turns = createLocalTurns({ max: 1, reserved: 0, waitingMax: { ofAgent: 1, all: 1 }, waitMaxMs: 40 });
  const [one, other] = [waiting('one').claimant, waiting('other').claimant];
  const release = await turns.take(one);
  const leaving = new AbortController();
  const left = turns.take(other, leaving.signal).catch(() => 'left');
  await expect(turns.take(other)).rejects.toBeInstanceOf(LineFullError);
  leaving.abort();
  expect(await left).toBe('left');
  await expect(turns.take(other)).rejects.toBeInstanceOf(LineFullError);
  release();
  (await turns.take(other))();
});
