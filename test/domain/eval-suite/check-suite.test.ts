/** A mistake in a category must stop the hub at startup, before a run is sold. */
import { expect, test } from 'bun:test';
import type { Category } from '#domain/eval-suite/category.ts';
import { checkSuite } from '#domain/eval-suite/check-suite.ts';
import type { CaseDraft } from '#domain/eval-suite/eval-case.ts';
import type { Grader } from '#domain/eval-suite/graders/grader.ts';
import { categories } from '#domain/eval-suite/index.ts';

const [instructions, ...others] = categories;

/** The registered categories, with changes to the first. */
function changed(changes: Partial<Category>): Category[] {
  return [{ ...instructions!, ...changes }, ...others];
}

/** The first category with other cases. */
function withCases(change: (draft: CaseDraft) => CaseDraft): Category[] {
  return changed({ generate: (random) => instructions!.generate(random).map(change) });
}

test('the registered categories pass', () => {
  expect(() => checkSuite(categories)).not.toThrow();
});

const namesake: Grader = { name: 'answer-number', grade: () => ({ passed: true, message: '' }) };

test.each<[mistake: string, broken: Category[], message: string]>([
  ['weights that do not sum to 100', changed({ weight: 24 }), 'sum to 99, not 100'],
  ['a category left out', others, 'sum to 75, not 100'],
  ['the same name twice', changed({ name: 'text' }), 'have the name text'],
  ['the same order twice', changed({ order: 2 }), 'have the order 2'],
  [
    'a wrong case count',
    changed({ generate: (random) => instructions!.generate(random).slice(1) }),
    'made 9 cases; it declares 10',
  ],
  [
    'a missing difficulty',
    withCases((draft) => ({ ...draft, difficulty: draft.difficulty === 'hard' ? 'easy' : draft.difficulty })),
    'instructions has no hard case',
  ],
  ['a grader that is not registered', changed({ graders: [] }), 'no grader called'],
  ['two graders of one name', changed({ graders: [...instructions!.graders, namesake] }), 'Two graders are'],
  ['a case without graders', withCases((draft) => ({ ...draft, graders: [] })), 'has no grader'],
  [
    'an expected reply that fails',
    withCases((draft) => ({ ...draft, expected: '' })),
    'instructions-1 does not get the full score',
  ],
  [
    'a prompt that is too long',
    withCases((draft) => ({ ...draft, prompt: 'x'.repeat(16_001) })),
    'more than 16000 characters',
  ],
])('refuses %s', (_mistake, broken, message) => {
  expect(() => checkSuite(broken)).toThrow(message);
});
