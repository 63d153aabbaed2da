/** A row that the sweeper fails on is left out for a minute and holds up no other one; an outage ends the round. */
import { expect, test } from 'bun:test';
import { DatabaseUnavailableError, StoreFrozenError } from '#db/errors.ts';
import { Setbacks } from '#domain/setbacks.ts';
import { createTestClock } from '#test/harness/clock.ts';

const rows = (...ids: readonly string[]) => ids.map((id) => ({ id }));

async function failOn(setbacks: Setbacks, ids: readonly string[], error: Error): Promise<unknown> {
  return setbacks
    .forEach('rows failed', rows(...ids), () => Promise.reject(error))
    .catch((thrown: unknown) => thrown);
}

test('the rows after a failed one are handled, and the error names the failed ones with their causes', async () => {
  const setbacks = new Setbacks(createTestClock());
  const handled: string[] = [];
  const cause = new Error('damaged');
  const thrown = await setbacks
    .forEach('rows failed', rows('a', 'b', 'c'), ({ id }) => {
      if (id !== 'c') return Promise.reject(cause);
      handled.push(id);
      return Promise.resolve();
    })
    .catch((error: unknown) => error);
  expect(handled).toEqual(['c']);
  expect(thrown).toMatchObject({ message: 'These rows failed: a, b.', errors: [cause, cause] });
  expect(setbacks.leftOut()).toEqual(['a', 'b']);
  expect(await setbacks.forEach('rows failed', rows('d', 'e'), () => Promise.resolve())).toBe(2);
});

test('a row is left out for a minute after its last failure', async () => {
  const clock = createTestClock();
  const setbacks = new Setbacks(clock);
  await failOn(setbacks, ['a', 'b'], new Error('damaged'));
  clock.advance(30_000);
  await failOn(setbacks, ['a'], new Error('damaged'));
  clock.advance(30_000);
  expect(setbacks.leftOut()).toEqual(['a']);
  clock.advance(30_000);
  expect(setbacks.leftOut()).toEqual([]);
});

test('a locked row holds up no other one, and an outage ends the round after two rows', async () => {
  const setbacks = new Setbacks(createTestClock());
  const outage = new DatabaseUnavailableError('gone');
  const causes: Readonly<Record<string, Error>> = { damaged: new Error('damaged'), locked: outage };
  const handled: string[] = [];
  const thrown = await setbacks
    .forEach('rows failed', rows('locked', 'damaged', 'whole'), ({ id }) => {
      handled.push(id);
      return id in causes ? Promise.reject(causes[id]!) : Promise.resolve();
    })
    .catch((error: unknown) => error);
  expect(handled).toEqual(['locked', 'damaged', 'whole']);
  expect(thrown).toMatchObject({ message: 'These rows failed: locked, damaged.' });
  expect(await failOn(setbacks, ['a', 'b', 'c'], outage)).toMatchObject({
    message: 'These rows failed: a, b.',
  });
  expect(setbacks.leftOut()).toEqual(['locked', 'damaged', 'a', 'b']);
});

test('a frozen hub is held against no row', async () => {
  const setbacks = new Setbacks(createTestClock());
  const frozen = new StoreFrozenError();
  expect(await failOn(setbacks, ['a', 'b'], frozen)).toBe(frozen);
  expect(setbacks.leftOut()).toEqual([]);
});

test('at most 500 rows are left out, the latest ones', async () => {
  const setbacks = new Setbacks(createTestClock());
  const ids = Array.from({ length: 600 }, (_, index) => `row-${index}`);
  await failOn(setbacks, ids, new Error('damaged'));
  expect(setbacks.leftOut()).toEqual(ids.slice(100));
});
