import type { Category } from '../../task.ts';
import { answerable, contradictory, missing } from './dossier-kinds.ts';

export const category: Category = {
  name: 'calibration',
  description: 'Answering what a text settles, and saying so when it does not.',
  kinds: [answerable, missing, contradictory],
};
