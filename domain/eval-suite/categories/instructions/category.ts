import type { Category } from '../../category.ts';
import { constraintKinds } from './constraint-kinds.ts';
import { makeInstructions } from './make-instructions.ts';
import { spreadDifficulties } from '../../language/spread-difficulties.ts';

export const category: Category = {
  name: 'instructions',
  description:
    'Writing under one to three verifiable instructions, after IFEval. Each instruction is a check.',
  order: 1,
  weight: 25,
  caseCount: 10,
  graders: constraintKinds.map(({ grader }) => grader),
  generate(random) {
    return makeInstructions(random, spreadDifficulties(random, this.caseCount));
  },
};
