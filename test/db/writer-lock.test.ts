/** SQLite transactions take turns, and let other events run between them. */
import { expect, test } from 'bun:test';
import { createWriterLock } from '#db/writer-lock.ts';

test('many transactions in a row do not keep other events waiting', async () => {
  const withLock = createWriterLock(5_000);
  let running = 0;
  let events = 0;
  const timer = setInterval(() => (events += 1), 1);
  const block = async (): Promise<void> => {
    expect(++running).toBe(1);
    const startedAt = performance.now();
    // As a commit does.
    while (performance.now() - startedAt < 5);
    running -= 1;
  };
  await Promise.all(Array.from({ length: 60 }, () => withLock(block)));
  clearInterval(timer);
  // 300 ms of blocking work, with a break about every 20 ms.
  expect(events).toBeGreaterThan(4);
});
