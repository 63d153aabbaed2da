/** What an owner is told about a run that has ended. Eval runs have notices of their own. */
import { roundRate } from '#evals/rates.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import type { Notice } from '../../notifications/notification-kinds.ts';

export function runNotice({ id, redemptionId, agentId, product, score, failureCode }: RunRow): Notice {
  const of = { run_id: id, redemption_id: redemptionId, product };
  if (failureCode === null) {
    return {
      agentId,
      kind: 'run.completed',
      data: { ...of, status: 'completed', score: roundRate(score ?? 0) },
    };
  }
  return { agentId, kind: 'run.failed', data: { ...of, status: 'failed', failure_code: failureCode } };
}
