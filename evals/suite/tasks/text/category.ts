import type { Category } from '../../task.ts';
import { countKind } from './count.ts';
import { editKind } from './edit.ts';
import { sortKind } from './sort.ts';

export const category: Category = {
  name: 'text',
  description: 'Counting, editing and sorting in texts of 20 to 800 words, where every word matters.',
  kinds: [countKind, editKind, sortKind],
};
