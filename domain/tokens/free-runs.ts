/** The free first runs of an account, as a query for its balance selects and shows them. */
import { sql } from 'drizzle-orm';
import type { Tables } from '#db/schema/make-schema.ts';

/** The redemptions that took them; null for those that are left. */
export type FreeRuns = Pick<
  Tables['tokenAccounts']['$inferSelect'],
  'freeEvalRedemptionId' | 'freeAgentRunRedemptionId' | 'freeSuiteRunRedemptionId'
>;

/** @param accounts null for rows of a union that are of no account */
export function freeRunColumns(accounts: Tables['tokenAccounts'] | null) {
  const id = (field: keyof FreeRuns) =>
    sql<string | null>`${accounts === null ? sql`null` : accounts[field]}`;
  return {
    freeEvalRedemptionId: id('freeEvalRedemptionId').as('free_eval'),
    freeAgentRunRedemptionId: id('freeAgentRunRedemptionId').as('free_agent_run'),
    freeSuiteRunRedemptionId: id('freeSuiteRunRedemptionId').as('free_suite_run'),
  };
}

export function availableOf(taken: FreeRuns) {
  return {
    freeEvalAvailable: taken.freeEvalRedemptionId === null,
    freeAgentRunAvailable: taken.freeAgentRunRedemptionId === null,
    freeSuiteRunAvailable: taken.freeSuiteRunRedemptionId === null,
  };
}
