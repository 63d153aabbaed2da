/** The free first runs of an account: their columns for queries, and how a balance shows them. */
import { sql } from 'drizzle-orm';
import type { Tables } from '#db/schema/make-schema.ts';

/** The redemptions that used them; null for those that are left. */
export type FreeRuns = Pick<
  Tables['tokenAccounts']['$inferSelect'],
  'freeEvalRedemptionId' | 'freeAgentRunRedemptionId' | 'freeSuiteRunRedemptionId'
>;

/** @param accounts null for the rows of a union that belong to no account */
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
