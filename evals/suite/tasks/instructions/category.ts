import type { Category } from '../../task.ts';
import { amendmentsKind } from './amendments.ts';
import { briefKind } from './brief.ts';
import { constraintsKind } from './constraints.ts';

export const category: Category = {
  name: 'instructions',
  description:
    'Writing under more and more rules, some of which change on the way. All must hold at once; filler scores 0.',
  kinds: [constraintsKind, briefKind, amendmentsKind],
};
