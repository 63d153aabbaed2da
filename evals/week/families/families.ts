/** All families of tasks, and the chapters of the manual that decide their cases. */
import type { ChapterSpec } from '../company.ts';
import { expenses } from '../manual/policies/expenses.ts';
import { meetings } from '../manual/policies/meetings.ts';
import { refunds } from '../manual/policies/refunds.ts';
import type { Family } from '../tasks.ts';
import { expensesFamily } from './expenses.ts';
import { leaveFamily } from './leave.ts';
import { refundsFamily } from './refunds.ts';

export const families: readonly Family[] = [refundsFamily, expensesFamily, leaveFamily];

export const chapterSpecs: readonly ChapterSpec[] = [
  { policy: refunds, owner: 'Head of Service' },
  { policy: expenses, owner: 'Head of Finance' },
  { policy: meetings, owner: 'Head of People' },
];
