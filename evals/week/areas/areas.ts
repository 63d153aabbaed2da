/** All areas of work, in the order of their chapters. */
import type { Area } from '../tasks.ts';
import { accounts, drafts, payments } from './bookkeeping.ts';
import { access, expenses } from './colleagues.ts';
import { files, quotes, refunds, repairs } from './customers.ts';
import { leave } from './leave.ts';
import { contracts, stock } from './suppliers.ts';

export const areas: readonly Area[] = [
  refunds,
  expenses,
  leave,
  contracts,
  quotes,
  payments,
  files,
  stock,
  repairs,
  accounts,
  drafts,
  access,
];
