/** Long work of many requests leaves room for others. */
import { expect, test, describe } from 'bun:test';
import { BatcherFullError, createBatcher, takeTurn } from '#runtime/loop-turns.ts';

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

describe('a batcher', () => {
  test('batches the items of one turn in order and resolves each separately', async () => {
    const batches: (readonly number[])[] = [];
    const batcher = createBatcher<number, string>({
      maxBatch: 10,
      handle: async (items) => {
        batches.push(items);
        return items.map((item) => `answer ${item}`);
      },
    });
    expect(await Promise.all([batcher.ask(1), batcher.ask(2), batcher.ask(3)])).toEqual([
      'answer 1',
      'answer 2',
      'answer 3',
    ]);
    expect(batches).toEqual([[1, 2, 3]]);
  });

  test('respects the maximum batch size and the number of concurrent batches', async () => {
    let underWay = 0;
    let most = 0;
    const sizes: number[] = [];
    const batcher = createBatcher<number, number>({
      maxBatch: 4,
      maxInFlight: 2,
      handle: async (items) => {
        sizes.push(items.length);
        most = Math.max(most, ++underWay);
        await Bun.sleep(2);
        underWay -= 1;
        return items;
      },
    });
    const items = Array.from({ length: 30 }, (_, index) => index);
    expect(await Promise.all(items.map((item) => batcher.ask(item)))).toEqual(items);
    expect(Math.max(...sizes)).toBe(4);
    expect(most).toBe(2);
  });

  test('fails one item when its result is an error, and all items when the batch fails', async () => {
    const batcher = createBatcher<string, string>({
      maxBatch: 10,
      handle: async (items) => {
        if (items.includes('poison')) throw new Error('the batch failed');
        return items.map((item) => (item === 'bad' ? new Error('bad item') : item));
      },
    });
    const outcomes = await Promise.allSettled([batcher.ask('good'), batcher.ask('bad')]);
    expect(outcomes).toMatchObject([{ status: 'fulfilled', value: 'good' }, { status: 'rejected' }]);
    expect(outcomes[1]).toHaveProperty('reason.message', 'bad item');
    const failed = await Promise.allSettled([batcher.ask('good'), batcher.ask('poison')]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await batcher.ask('after')).toBe('after');
  });

  test('fails a batch with too few results rather than mismatching them', async () => {
    const batcher = createBatcher<number, number>({ maxBatch: 10, handle: async () => [1] });
    const outcomes = await Promise.allSettled([batcher.ask(1), batcher.ask(2)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  test('rejects items above the queue limit, and accepts new ones once there is room', async () => {
    const held = Promise.withResolvers<void>();
    const batcher = createBatcher<number, number>({
      maxBatch: 1,
      maxInFlight: 1,
      maxWaiting: 2,
      handle: async (items) => {
        await held.promise;
        return items;
      },
    });
    const first = batcher.ask(1);
    await new Promise(setImmediate);
    const waiting = [batcher.ask(2), batcher.ask(3)];
    expect(batcher.ask(4)).rejects.toBeInstanceOf(BatcherFullError);
    held.resolve();
    expect(await Promise.all([first, ...waiting])).toEqual([1, 2, 3]);
    expect(await batcher.ask(5)).toBe(5);
  });

  test('rejects items that have waited too long behind stuck batches, and never runs them later', async () => {
    const release = Promise.withResolvers<void>();
    const put: number[] = [];
    const batcher = createBatcher<number, number>({
      maxBatch: 10,
      maxInFlight: 1,
      maxWaitMs: 50,
      handle: async (items) => {
        put.push(...items);
        await release.promise;
        return items;
      },
    });
    const stuck = batcher.ask(1);
    await Bun.sleep(1);
    const waiting = [batcher.ask(2), batcher.ask(3)];
    const outcomes = await Promise.allSettled(waiting);
    expect(outcomes).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
    expect(outcomes[0]).toHaveProperty('reason.name', 'BatcherFullError');
    release.resolve();
    expect(await stuck).toBe(1);
    expect(await batcher.ask(4)).toBe(4);
    expect(put).toEqual([1, 4]);
  });
});
