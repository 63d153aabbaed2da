/** What `npm run mutate` can be asked for, and that it says what it cannot. */
import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { areas } from './areas.ts';
import { MutateArgumentsError, parseMutateArguments } from './arguments.ts';

test('all areas, all files and two places unless said otherwise', () => {
  expect(parseMutateArguments([])).toMatchObject({ areas, words: [], sample: null, places: 2 });
});

test('areas, words, a sample and its seed', () => {
  const given = parseMutateArguments([
    '--area',
    'ledger',
    'lots',
    '--sample',
    '20',
    '--seed',
    '7',
    '--places',
    '1',
  ]);
  expect(given).toMatchObject({ words: ['lots'], sample: 20, seed: 7, places: 1 });
  expect(given?.areas.map(({ name }) => name)).toEqual(['ledger']);
});

test.each([
  [['--area', 'chairs'], 'there is no area "chairs"; there are graders, ledger'],
  [['--sample', 'many'], '--sample: "many" is no whole number from 1 on'],
  [['--places', '0'], '--places: "0"'],
  [['--fast'], '--fast'],
])('%p is refused with what would be right', (given, message) => {
  expect(() => parseMutateArguments(given)).toThrow(MutateArgumentsError);
  expect(() => parseMutateArguments(given)).toThrow(message);
});

test('every area names files and tests that are there', () => {
  const project = join(import.meta.dirname, '..', '..');
  for (const { subjects, stages } of areas) {
    for (const pattern of subjects)
      expect([pattern, ...new Bun.Glob(pattern).scanSync(project)]).not.toEqual([pattern]);
    const tests = stages.flatMap((stage) => stage.tests);
    expect(tests.filter((path) => !existsSync(join(project, path)))).toEqual([]);
  }
});
