import { answerList } from '../../graders/answer-list.ts';
import { answerNumber } from '../../graders/answer-number.ts';
import { answerText } from '../../graders/answer-text.ts';
import type { Category } from '../../category.ts';
import { spreadDifficulties } from '../../language/spread-difficulties.ts';
import { makeCount } from './make-count.ts';
import { makeDeduplicate } from './make-deduplicate.ts';
import { makeEdit } from './make-edit.ts';
import { makeReverse } from './make-reverse.ts';
import { makeSort } from './make-sort.ts';

const makers = [makeSort, makeCount, makeReverse, makeDeduplicate, makeEdit];

export const category: Category = {
  name: 'text',
  description: 'Sorting, counting, reversing, deduplicating and editing text, graded exactly.',
  order: 5,
  weight: 10,
  caseCount: 4,
  graders: [answerList, answerNumber, answerText],
  generate(random) {
    const difficulties = spreadDifficulties(random, this.caseCount);
    return random
      .sample(makers, this.caseCount)
      .map((make, position) => make(random, difficulties[position] ?? 'medium'));
  },
};
