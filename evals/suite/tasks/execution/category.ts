import type { Category } from '../../task.ts';
import { arithmetic } from './arithmetic.ts';
import { ledgers } from './ledgers.ts';
import { state } from './state.ts';

export const category: Category = {
  name: 'execution',
  description: 'Carrying out many steps in order without losing track.',
  kinds: [ledgers, arithmetic, state],
};
