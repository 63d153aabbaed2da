import type { RunFailureCode } from '#db/schema/run-tables.ts';

/**
 * Whether the tokens of a run that ended with this code get more time if their lot has ended, or ends soon. If the agent
 * ended the run itself, they do not: it could keep tokens from expiring.
 */
export function isRefundedWithGrace(code: RunFailureCode): boolean {
  const endedByAgent: readonly string[] = ['cancelled', 'account_closed'];
  return !endedByAgent.includes(code);
}
