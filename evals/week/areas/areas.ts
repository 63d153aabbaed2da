/** All areas of work, in the order of their chapters. */
import type { Area } from '../tasks.ts';
import { access } from './access.ts';
import { accounts } from './accounts.ts';
import { contracts } from './contracts.ts';
import { drafts } from './drafts.ts';
import { expenses } from './expenses.ts';
import { files } from './files.ts';
import { leave } from './leave.ts';
import { payments } from './payments.ts';
import { quotes } from './quotes.ts';
import { refunds } from './refunds.ts';
import { repairs } from './repairs.ts';
import { stock } from './stock.ts';

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
