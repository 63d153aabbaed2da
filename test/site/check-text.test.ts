/** The checks of cases in plain words. */
import { describe, expect, test } from 'bun:test';
import type { Check } from '#evals/suite/eval-case.ts';
import { categories } from '#evals/suite/index.ts';
import { ladderLevels } from '#evals/suite/ladder/ladder.ts';
import { createRandom } from '#evals/random.ts';
import { explainCheck, explainFinding } from '#site/parts/check-text.ts';

const seeds = ['0', '1'].map((digit) => digit.repeat(32));

function checksOf(kind: (typeof categories)[number]['kinds'][number]): readonly Check[] {
  return seeds.flatMap((seed) =>
    ladderLevels.flatMap((level) => {
      const task = kind.make(createRandom(seed, `${kind.name}/${level}`), level, { maxPromptTokens: 8_000 });
      return [...task.accepted, ...task.refused].flatMap((replies) => task.grade(replies).checks);
    }),
  );
}

describe('the checks of every kind have a title and a line, and findings in plain words', () => {
  test.each(categories.flatMap(({ kinds }) => kinds.map((kind) => [kind.name, kind] as const)))(
    '%s',
    (_, kind) => {
      const checks = checksOf(kind);
      expect(checks.length).toBeGreaterThan(0);
      for (const check of checks) {
        const { title, line } = explainCheck(check.name);
        expect([check.name, line === null, title.includes('-')]).toEqual([check.name, false, false]);
        const finding = explainFinding(check);
        if (check.passed) expect([check.name, finding]).toEqual([check.name, null]);
        else {
          expect([check.name, check.passed || (finding ?? '').length > 10]).toEqual([check.name, true]);
          expect(finding).not.toMatch(/(?:^|: )Expected/);
        }
      }
    },
  );
});

test('a check that the hub does not know keeps its own words', () => {
  const check = { name: 'crates-on-shelves', passed: false, message: 'Shelf 2 has 4 crates too many.' };
  expect(explainCheck(check.name)).toEqual({ title: 'Crates on shelves', line: null });
  expect(explainFinding(check)).toBe('Shelf 2 has 4 crates too many.');
  expect(explainFinding({ ...check, passed: true })).toBe('Shelf 2 has 4 crates too many.');
  expect(explainCheck('constructor').line).toBeNull();
});

test('a finding says what was asked, what the reply has, and why no answer counts', () => {
  const say = (name: string, message: string) => explainFinding({ name, passed: false, message });
  expect(say('ledger', 'Expected 243, found 237.')).toBe('The right answer is 243. The reply says 237.');
  expect(say('ledger', 'Expected 243, found no answer: several candidates.')).toBe(
    'The right answer is 243. The reply has more than one answer, so none counts.',
  );
  expect(say('total-words', 'Expected: The whole text has exactly 27 words; found 19 words.')).toBe(
    'Asked for: The whole text has exactly 27 words. The reply has 19 words.',
  );
  expect(say('job-done', 'Expected 216 in reply 1, found "nothing".')).toBe(
    'The right answer to message 1 is 216; the reply has no number that counts.',
  );
});
