/**
 * Rounds of the sweeper: they repeat, continue without a pause while there is work, survive failures, and
 * stop in order.
 */
import { expect, test } from 'bun:test';
import { startRounds } from '#workers/sweeper/rounds.ts';
import { silentLogger as logger } from '#test/harness/silent-logger.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

function countingRounds(everyMs: number, work: (round: number) => Promise<number>) {
  let rounds = 0;
  const running = startRounds({
    name: 'test',
    everyMs,
    logger,
    work: () => {
      rounds += 1;
      return work(rounds);
    },
  });
  const stop = () => running.stop();
  return { count: () => rounds, hurry: () => running.hurry(), stop, [Symbol.asyncDispose]: stop };
}

test('a round that found work is followed by the next at once, and any other after a pause', async () => {
  await using rounds = countingRounds(60_000, async (round) => (round < 5 ? 1 : 0));
  await waitUntil(() => rounds.count() === 5);
  await Bun.sleep(20);
  expect(rounds.count()).toBe(5);
});

test('endless work does not keep a burst going forever', async () => {
  await using rounds = countingRounds(60_000, async () => 1);
  await waitUntil(() => rounds.count() === 100);
  await Bun.sleep(20);
  expect(rounds.count()).toBe(100);
});

test('a failed round is followed by the next after the pause', async () => {
  await using rounds = countingRounds(5, async (round) => {
    if (round === 1) throw new Error('on purpose');
    return 0;
  });
  await waitUntil(() => rounds.count() > 2);
});

test('stopping waits for the current round and starts no other', async () => {
  let ended = false;
  const rounds = countingRounds(1, async () => {
    await Bun.sleep(40);
    ended = true;
    return 1;
  });
  await Bun.sleep(5);
  await rounds.stop();
  expect(ended).toBe(true);
  const atStop = rounds.count();
  await Bun.sleep(30);
  expect(rounds.count()).toBe(atStop);
});

test('a hurried round starts at once, or right after the current one', async () => {
  await using rounds = countingRounds(60_000, async () => {
    await Bun.sleep(20);
    return 0;
  });
  rounds.hurry();
  await waitUntil(() => rounds.count() === 2);
  await Bun.sleep(40);
  expect(rounds.count()).toBe(2);
  rounds.hurry();
  await waitUntil(() => rounds.count() === 3);
});

test('rounds with different pauses start at the same moments', async () => {
  const startedAt: number[] = [];
  const started = async (): Promise<number> => {
    startedAt.push(performance.now());
    return 0;
  };
  const all: { count(): number; stop(): Promise<void> }[] = [];
  for (const everyMs of [1_000, 1_100, 2_000]) {
    all.push(countingRounds(everyMs, started));
    await Bun.sleep(130);
  }
  await waitUntil(() => all.every((rounds) => rounds.count() > 1));
  await Promise.all(all.map((rounds) => rounds.stop()));
  // The first three follow the start of each.
  const later = startedAt.slice(3);
  const apart = (one: number, other: number): number => {
    const ms = Math.abs(one - other) % 1_000;
    return Math.min(ms, 1_000 - ms);
  };
  // A busy machine may delay one of them. Unaligned, at most half would share a moment.
  const together = later.map((at) => later.filter((other) => apart(at, other) <= 60).length);
  expect(Math.max(...together)).toBeGreaterThan(later.length / 2);
});
