import { answerNumber } from '../../graders/answer-number.ts';
import { answerText } from '../../graders/answer-text.ts';
import type { Category } from '../../category.ts';
import { makeContext } from './make-context.ts';
import { spreadDifficulties } from '../../language/spread-difficulties.ts';

export const category: Category = {
  name: 'context',
  description:
    'Questions over several hops in 500 to 2,000 words of invented facts, and noticing when the text has no answer.',
  order: 6,
  weight: 10,
  caseCount: 4,
  graders: [answerNumber, answerText],
  generate(random) {
    const difficulties = spreadDifficulties(random, this.caseCount);
    const unanswerable = random.int(0, this.caseCount - 1);
    return difficulties.map((difficulty, position) =>
      makeContext(random, difficulty, position !== unanswerable),
    );
  },
};
