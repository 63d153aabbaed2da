import type { Category } from '../../task.ts';
import { hops } from './hops.ts';
import { twins } from './twins.ts';

export const category: Category = {
  name: 'context',
  description: 'Finding and linking facts in long texts.',
  kinds: [hops, twins],
};
