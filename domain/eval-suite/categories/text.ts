/** Text: four exact transformations out of five kinds. */
import type { Category } from '../category.ts';
import { spreadDifficulties } from '../language/spread-difficulties.ts';
import { makeCount } from '../text/make-count.ts';
import { makeDeduplicate } from '../text/make-deduplicate.ts';
import { makeEdit } from '../text/make-edit.ts';
import { makeReverse } from '../text/make-reverse.ts';
import { makeSort } from '../text/make-sort.ts';

const makers = [makeSort, makeCount, makeReverse, makeDeduplicate, makeEdit];

export const category: Category = {
  name: 'text',
  description: 'Sorting, counting, reversing, de-duplicating and editing text, graded exactly.',
  order: 5,
  weight: 10,
  caseCount: 4,
  generate(random) {
    const difficulties = spreadDifficulties(random, this.caseCount);
    return random
      .sample(makers, this.caseCount)
      .map((make, position) => make(random, difficulties[position] ?? 'medium'));
  },
};
