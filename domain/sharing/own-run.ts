/** A run that its agent may share: an eval run or an agent run. */
import type { RunRow } from '#db/schema/run-tables.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import { findOwnAgentRun } from '../agent-runs/show-agent-run.ts';
import type { AgentCtx } from '../context.ts';
import { findOwnEvalJob } from '../eval-jobs/show-eval-job.ts';

export type SharedRunRow = Tables['sharedRuns']['$inferSelect'];

/** The operations that hints about a run name. */
export const operationsOf = {
  'eval-job': { show: 'getEvalJob', share: 'postEvalJobsByIdShare' },
  'agent-run': { show: 'getAgentRunsById', share: 'postAgentRunsByIdShare' },
} as const;

export interface SharedRunKey {
  readonly kind: SharedRunRow['kind'];
  readonly runId: string;
}

/** @throws DomainError eval_job_not_found or agent_run_not_found, depending on the kind */
export function findOwnRun(ctx: AgentCtx, { kind, runId }: SharedRunKey): Promise<RunRow> {
  switch (kind) {
    case 'eval-job':
      return findOwnEvalJob(ctx, { runId });
    case 'agent-run':
      return findOwnAgentRun(ctx, { runId });
  }
}
