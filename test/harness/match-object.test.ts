/** `toMatchObject` fails if any named field differs, including dates. */
import { expect, test } from 'bun:test';

const [at, later] = [new Date(5), new Date(6)];

test.each([
  ['fields that are left out', { a: 1, b: 2 }, { a: 1 }],
  ['nested and listed ones', { a: [{ b: at, c: 1 }, { b: later }] }, { a: [{ b: at }, { b: later }] }],
  ['a matcher', { a: 'text', b: at }, { a: expect.stringContaining('ex'), b: expect.any(Date) }],
  ['an error by its fields', Object.assign(new Error('no'), { code: 'x' }), { code: 'x', message: 'no' }],
])('%s are no matter', (_, received, wanted) => {
  expect(received).toMatchObject(wanted);
});

test.each([
  ['another instant', { a: at }, { a: later }],
  ['another instant deep down', [{ a: { b: at } }], [{ a: { b: later } }]],
  ['a date for none', { a: null }, { a: at }],
  ['another value', { a: 1 }, { a: 2 }],
  ['a missing field', {}, { a: 1 }],
  ['an item too many', [1, 2], [1]],
  ['an item too few', [1], [1, 2]],
  ['no object', 7, { a: 7 }],
])('%s is a difference', (_, received, wanted) => {
  expect(() => expect(received).toMatchObject(wanted as object)).toThrow();
  expect(received).not.toMatchObject(wanted);
});

test('what a promise gives is compared as well', async () => {
  await expect(Promise.resolve({ a: at })).resolves.toMatchObject({ a: at });
  await expect(Promise.reject(Object.assign(new Error('no'), { at }))).rejects.toMatchObject({ at });
  const wrong = async () => expect(Promise.resolve({ a: at })).resolves.toMatchObject({ a: later });
  await expect(wrong()).rejects.toThrow('toEqual');
});
