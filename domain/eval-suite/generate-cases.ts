/** Turns a seed into the cases of a run. Pure: the same seed and suite version give byte-identical cases. */
import type { Category } from './category.ts';
import type { EvalCase } from './eval-case.ts';
import { maxPromptCharacters } from './limits.ts';
import { isSeed } from './new-seed.ts';
import { createRandom } from './random.ts';

export const suiteName = 'eval-run';
/** Raised by every change to a generated case or a verdict. */
export const suiteVersion = '1';

/**
 * The cases of one run, in the order in which they are sent.
 *
 * @throws {RangeError} when `seed` is not 32 lower-case hex digits.
 */
export function generateCasesOf(categories: readonly Category[], seed: string): readonly EvalCase[] {
  if (!isSeed(seed)) throw new RangeError('An eval seed is 32 lower-case hex digits.');
  const cases: EvalCase[] = [];
  for (const category of categories) {
    const drafts = category.generate(createRandom(seed, `${suiteName}/${suiteVersion}/${category.name}`));
    if (drafts.length !== category.caseCount) {
      throw new Error(
        `Eval category ${category.name} made ${drafts.length} cases; it declares ${category.caseCount}.`,
      );
    }
    for (const [position, draft] of drafts.entries()) {
      const id = `${category.name}-${position + 1}`;
      if (draft.prompt.length > maxPromptCharacters) {
        throw new Error(`The prompt of eval case ${id} has more than ${maxPromptCharacters} characters.`);
      }
      cases.push({
        index: cases.length,
        id,
        category: category.name,
        weight: category.weight / category.caseCount,
        ...draft,
      });
    }
  }
  return cases;
}
