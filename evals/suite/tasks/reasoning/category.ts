import type { Category } from '../../task.ts';
import { liars } from './liars.ts';
import { schedule } from './schedule.ts';
import { story } from './story.ts';
import { zebra } from './zebra.ts';

export const category: Category = {
  name: 'reasoning',
  description: 'Deduction from clues that have exactly one solution.',
  kinds: [zebra, story, schedule, liars],
};
