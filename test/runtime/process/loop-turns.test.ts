/** Long work of many requests leaves room for others. */
import { expect, test } from 'bun:test';
import { takeTurn } from '#runtime/process/loop-turns.ts';

test('work that arrives together starts in order, one piece in each turn of the event loop', async () => {
  let turn = 0;
  let isOver = false;
  const count = () => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const started: { readonly piece: number; readonly turn: number }[] = [];
  await Promise.all(
    Array.from({ length: 50 }, async (_, piece) => {
      await takeTurn();
      started.push({ piece, turn });
    }),
  );
  isOver = true;
  expect(started.map(({ piece }) => piece)).toEqual([...started.keys()]);
  expect(new Set(started.map((one) => one.turn)).size).toBeGreaterThanOrEqual(49);
});

test('work that comes alone starts at once', async () => {
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  expect(takeTurn()).toBeNull();
});
