/** All families of tasks, and the chapters of the manual that decide their cases. */
import type { ChapterSpec } from '../company.ts';
import { refunds } from '../manual/policies/refunds.ts';
import { expenses } from '../manual/policies/expenses.ts';
import { meetings } from '../manual/policies/meetings.ts';
import { contracts } from '../manual/policies/contracts.ts';
import { quotes } from '../manual/policies/quotes.ts';
import { payments } from '../manual/policies/payments.ts';
import { files } from '../manual/policies/files.ts';
import { stock } from '../manual/policies/stock.ts';
import { repairs } from '../manual/policies/repairs.ts';
import { accounts } from '../manual/policies/accounts.ts';
import { drafts } from '../manual/policies/drafts.ts';
import { access } from '../manual/policies/access.ts';
import type { Family } from '../tasks.ts';
import { refundsFamily } from './refunds.ts';
import { expensesFamily } from './expenses.ts';
import { leaveFamily } from './leave.ts';
import { contractsFamily } from './contracts.ts';
import { quotesFamily } from './quotes.ts';
import { paymentsFamily } from './payments.ts';
import { filesFamily } from './files.ts';
import { stockFamily } from './stock.ts';
import { repairsFamily } from './repairs.ts';
import { accountsFamily } from './accounts.ts';
import { draftsFamily } from './drafts.ts';
import { accessFamily } from './access.ts';

export const families: readonly Family[] = [
  refundsFamily,
  expensesFamily,
  leaveFamily,
  contractsFamily,
  quotesFamily,
  paymentsFamily,
  filesFamily,
  stockFamily,
  repairsFamily,
  accountsFamily,
  draftsFamily,
  accessFamily,
];

export const chapterSpecs: readonly ChapterSpec[] = [
  { policy: refunds, owner: 'Head of Service' },
  { policy: expenses, owner: 'Head of Finance' },
  { policy: meetings, owner: 'Head of People' },
  { policy: contracts, owner: 'Head of Purchasing' },
  { policy: quotes, owner: 'Head of Sales' },
  { policy: payments, owner: 'Head of Finance' },
  { policy: files, owner: 'Head of Service' },
  { policy: stock, owner: 'Head of Purchasing' },
  { policy: repairs, owner: 'Head of Service' },
  { policy: accounts, owner: 'Head of Finance' },
  { policy: drafts, owner: 'Head of Finance' },
  { policy: access, owner: 'Head of People' },
];
