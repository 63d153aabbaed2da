/** Shows agent runs to their owner. For everybody else they do not exist. */
import type { RunRow } from '#db/schema/run-tables.ts';
import type { AgentCtx, TransactionCtx } from '../context.ts';
import { findOwnRun, lockOwnRun } from '../runs/find-run.ts';
import type { AgentRunCard } from '#evals/office/scorecard/make-card.ts';
import { agentRunScorecard } from '#evals/office/scorecard/model.ts';
import type { ScorecardModel } from '#evals/scorecard/model.ts';
import { readAgentRunCard } from './read-card.ts';

export interface AgentRunDetail {
  readonly run: RunRow;
  /** Null until the run has completed. */
  readonly card: AgentRunCard | null;
  readonly scorecard: ScorecardModel | null;
}

export interface AgentRunKey {
  readonly runId: string;
}

/** @throws DomainError agent_run_not_found */
export function findOwnAgentRun(ctx: AgentCtx, { runId }: AgentRunKey): Promise<RunRow> {
  return findOwnRun(ctx, { runId, product: 'agent-run' });
}

/** @throws DomainError agent_run_not_found */
export function lockOwnAgentRun(ctx: AgentCtx & TransactionCtx, { runId }: AgentRunKey): Promise<RunRow> {
  return lockOwnRun(ctx, { runId, product: 'agent-run' });
}

/** @throws DomainError agent_run_not_found */
export async function showAgentRun(ctx: AgentCtx, key: AgentRunKey): Promise<AgentRunDetail> {
  const run = await findOwnAgentRun(ctx, key);
  const read = await readAgentRunCard(ctx, run);
  if (read === null) return { run, card: null, scorecard: null };
  return { run, card: read.card, scorecard: agentRunScorecard(run, read.card, read.made) };
}
