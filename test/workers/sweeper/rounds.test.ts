/**
 * Rounds of the sweeper: they repeat, continue without a pause while there is work, survive failures, and
 * stop in order.
 */
import { expect, test } from 'bun:test';
import { createLogger } from '#runtime/tracing/log.ts';
import { startRounds } from '#workers/sweeper/rounds.ts';

const logger = createLogger({ name: 'test', level: 'silent' });

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
  return { count: () => rounds, stop: () => running.stop() };
}

async function eventually(holds: () => boolean): Promise<void> {
  for (let wait = 0; !holds(); wait += 1) {
    if (wait > 4_000) throw new Error('not true within 20 seconds');
    await Bun.sleep(5);
  }
}

test('a round that found work is followed by the next at once, and any other after a pause', async () => {
  const rounds = countingRounds(60_000, async (round) => (round < 5 ? 1 : 0));
  await eventually(() => rounds.count() === 5);
  await Bun.sleep(20);
  expect(rounds.count()).toBe(5);
  await rounds.stop();
});

test('endless work does not keep a burst going forever', async () => {
  const rounds = countingRounds(60_000, async () => 1);
  await eventually(() => rounds.count() === 100);
  await Bun.sleep(20);
  expect(rounds.count()).toBe(100);
  await rounds.stop();
});

test('a failed round is followed by the next after the pause', async () => {
  const rounds = countingRounds(5, async (round) => {
    if (round === 1) throw new Error('on purpose');
    return 0;
  });
  await eventually(() => rounds.count() > 2);
  await rounds.stop();
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
