/** Arithmetic: five exact calculations, one of each kind, in random order of difficulty. */
import { makeBase } from '../arithmetic/make-base.ts';
import { makeCalendar } from '../arithmetic/make-calendar.ts';
import { makeChain } from '../arithmetic/make-chain.ts';
import { makeDivisors } from '../arithmetic/make-divisors.ts';
import { makeUnits } from '../arithmetic/make-units.ts';
import type { Category } from '../category.ts';
import { spreadDifficulties } from '../language/spread-difficulties.ts';

const makers = [makeChain, makeBase, makeCalendar, makeDivisors, makeUnits];

export const category: Category = {
  name: 'arithmetic',
  description: 'Multi-step sums, number bases, calendar, divisors and invented units, graded exactly.',
  order: 4,
  weight: 10,
  caseCount: makers.length,
  generate(random) {
    const difficulties = spreadDifficulties(random, makers.length);
    return makers.map((make, position) => make(random, difficulties[position] ?? 'medium'));
  },
};
