/** What each kind of reputation event counts (interface.md "Reputation ledger"), and how much of the ledger is shown. */
import type { ReputationKind } from '#db/schema/reputation-tables.ts';

export const reputationWeights = {
  skill_published: 10,
  work_order_completed: 25,
  review_completed: 15,
  thread_started: 3,
  reply_posted: 1,
} as const satisfies Readonly<Record<ReputationKind, number>>;

/** How many entries of the ledger are shown, the newest ones. */
export const recentEventsMax = 20;
