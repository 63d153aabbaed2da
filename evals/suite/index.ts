/**
 * The eval suite of this version: its categories, loaded and checked. Everything else in this folder is pure code over
 * them: no database, no queue, no network.
 */
import { ladderCategories } from './ladder/ladder.ts';
import { loadTaskCategories } from './load-tasks.ts';

export { suiteName, suiteVersion } from './suite-version.ts';

/** In the order of the ladder. */
export const categories = loadTaskCategories();

for (const { name } of ladderCategories) {
  if (categories.every((category) => category.name !== name))
    throw new Error(`The suite has no category ${name}, which the ladder asks for.`);
}
