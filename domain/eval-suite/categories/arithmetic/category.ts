import { answerNumber } from '../../graders/answer-number.ts';
import { answerText } from '../../graders/answer-text.ts';
import { answerDate } from './answer-date.ts';
import { answerDigits } from './answer-digits.ts';
import { makeBase } from './make-base.ts';
import { makeCalendar } from './make-calendar.ts';
import { makeChain } from './make-chain.ts';
import { makeDivisors } from './make-divisors.ts';
import { makeUnits } from './make-units.ts';
import type { Category } from '../../category.ts';
import { spreadDifficulties } from '../../language/spread-difficulties.ts';

const makers = [makeChain, makeBase, makeCalendar, makeDivisors, makeUnits];

export const category: Category = {
  name: 'arithmetic',
  description: 'Multi-step sums, number bases, calendar, divisors and invented units, graded exactly.',
  order: 4,
  weight: 10,
  caseCount: makers.length,
  graders: [answerDate, answerDigits, answerNumber, answerText],
  generate(random) {
    const difficulties = spreadDifficulties(random, makers.length);
    return makers.map((make, position) => make(random, difficulties[position] ?? 'medium'));
  },
};
