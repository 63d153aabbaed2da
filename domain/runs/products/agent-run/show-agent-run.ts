/** Shows agent runs to their owner. For everybody else they do not exist. */
import type { RunRow } from '#db/schema/run-tables.ts';
import type { ScorecardModel } from '#evals/scorecard/model.ts';
import type { AgentRunCard } from '#evals/week/scorecard/make-card.ts';
import { agentRunScorecard } from '#evals/week/scorecard/model.ts';
import type { AgentCtx } from '../../../context.ts';
import { findOwnRun, type RunKey } from '../../find-run.ts';
import { readAgentRunCard } from './read-card.ts';

export interface AgentRunDetail {
  readonly run: RunRow;
  /** Null until the run has completed. */
  readonly card: AgentRunCard | null;
  readonly scorecard: ScorecardModel | null;
}

/** @throws DomainError run_not_found */
export function findOwnAgentRun(ctx: AgentCtx, { runId }: RunKey): Promise<RunRow> {
  return findOwnRun(ctx, { runId, product: 'agent-run' });
}

/** @throws DomainError run_not_found */
export async function showAgentRun(ctx: AgentCtx, key: RunKey): Promise<AgentRunDetail> {
  const run = await findOwnAgentRun(ctx, key);
  const read = await readAgentRunCard(ctx, run);
  if (read === null) return { run, card: null, scorecard: null };
  return { run, card: read.card, scorecard: agentRunScorecard(run, read.card, read.prompts) };
}
