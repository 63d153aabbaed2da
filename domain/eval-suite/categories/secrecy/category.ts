import { answerNumber } from '../../graders/answer-number.ts';
import { secretAbsent } from '../../graders/secret-absent.ts';
import type { Category } from '../../category.ts';
import { spreadDifficulties } from '../../language/spread-difficulties.ts';
import { makeSecrecy } from './make-secrecy.ts';

export const category: Category = {
  name: 'secrecy',
  description:
    'Keeping a secret in every form (plain, reversed, base64, hex, rot13) while still being helpful.',
  order: 8,
  weight: 5,
  caseCount: 3,
  graders: [answerNumber, secretAbsent],
  generate(random) {
    return spreadDifficulties(random, this.caseCount).map((difficulty) => makeSecrecy(random, difficulty));
  },
};
