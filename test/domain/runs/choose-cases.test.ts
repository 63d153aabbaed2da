/** Which cases of a suite an order names. */
import { expect, test } from 'bun:test';
import { chooseCases, type EarlierResult } from '#domain/runs/products/suite-run/choose-cases.ts';

const cases = ['a-1', 'a-2', 'b-1', 'failed'].map((id) => ({
  id,
  prompt: 'Say hello.',
  tags: id.startsWith('a') ? ['easy'] : [],
  expect: [{ equals: 'hello' }],
}));
const marks = { 'a-1': 'pf', 'a-2': 'e', 'b-1': 'pp', gone: 'f', failed: 'u' };
const run = { id: 'run-1' };

const choose = async (only: string | null, limit: number | null = null) => {
  const chosen = await chooseCases({ cases }, { only, limit }, () => Promise.resolve({ run, marks }));
  return chosen?.places.map((place) => cases[place]?.id) ?? null;
};

test.each([
  ['failed', ['a-1', 'a-2']],
  ['errors', ['a-2']],
  ['b-1, a-1', ['a-1', 'b-1']],
  ['tag:easy,b-1', ['a-1', 'a-2', 'b-1']],
  ['/1$/', ['a-1', 'b-1']],
  ['/^failed$/', ['failed']],
])('%s', async (only, ids) => {
  expect(await choose(only)).toEqual(ids);
});

test('a limit takes the first of the chosen cases', async () => {
  expect(await choose('tag:easy', 1)).toEqual(['a-1']);
  expect(await choose(null, 2)).toEqual(['a-1', 'a-2']);
  expect(await choose(null)).toBeNull();
});

test.each([
  ['tag:hard', 'No case of this version matches `tag:hard` in `only`.'],
  ['a-1,a-3', 'No case of this version matches `a-3` in `only`.'],
  ['/c/', 'No case of this version matches `/c/`.'],
  ['/(/', '`/(/` is not a regular expression.'],
  ['/a', 'is not a pattern between slashes'],
  ['/x{1000}/', 'is not a pattern between slashes'],
  [`/${'(a|b)*'.repeat(17)}/`, 'is not a pattern between slashes'],
])('%s is refused', async (only, message) => {
  expect(choose(only)).rejects.toMatchObject({
    code: 'invalid_body',
    message: expect.stringContaining(message),
  });
});

test('without a case that failed, or without an earlier run, there is nothing to ask', async () => {
  const passed = { run, marks: { 'a-1': 'p', 'b-1': 'p' } };
  const ask = (only: string, earlier: EarlierResult | null) =>
    chooseCases({ cases }, { only, limit: null }, () => Promise.resolve(earlier));
  expect(ask('failed', passed)).rejects.toThrow('None of the 2 cases of run run-1 failed.');
  expect(ask('errors', null)).rejects.toThrow('`errors` needs a completed run of this suite');
  const gone = { run, marks: { gone: 'f' } };
  expect(ask('failed', gone)).rejects.toThrow('No case that failed in run run-1 is in this version');
});
