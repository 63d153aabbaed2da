/** A run of somebody else as the owner of its suite reads it, if the runner has shared its replies. */
import { and, eq } from 'drizzle-orm';
import type { StoredSuiteResult } from '#evals/own-suite/stored-trial.ts';
import type { AgentCtx } from '../context.ts';
import { DomainError } from '../errors.ts';
import { operation } from '../operation.ts';
import type { PageInput } from '../paging.ts';
import { type CaseFilter, type CasePage, type ListedCase, listCases } from '../runs/cases/list-cases.ts';
import { readResult } from '../runs/cases/read-results.ts';
import type { SuiteKey } from './find-suite.ts';
import { countCasesSeen, findOwnSuite, type SuiteRun } from './list-suite-runs.ts';

export interface SharedSuiteRun extends SuiteRun {
  readonly result: StoredSuiteResult;
  readonly cases: CasePage;
}

interface SharedRunInput extends SuiteKey, PageInput {
  readonly runId: string;
  readonly filter: CaseFilter;
}

/** @throws DomainError not_found, not_author, run_not_found, not_allowed, run_not_completed, gone */
export async function showSuiteRun(
  ctx: AgentCtx,
  { owner, name, runId, ...paging }: SharedRunInput,
): Promise<SharedSuiteRun> {
  const suite = await findOwnSuite(ctx, { owner, name });
  const { agents, runs } = ctx.db.tables;
  const list = operation('listSuiteRuns', { owner: `@${owner}`, name });
  const [found] = await ctx.db.query
    .select({ run: runs, handle: agents.handle })
    .from(runs)
    .innerJoin(agents, eq(agents.id, runs.agentId))
    .where(and(eq(runs.id, runId), eq(runs.suiteId, suite.id)));
  if (found === undefined) {
    throw new DomainError('run_not_found', 'This suite has no run with this id.', {
      hint: `${list} lists its runs.`,
    });
  }
  const { run } = found;
  if (!run.shareReplies && run.agentId !== ctx.agent.id) {
    throw new DomainError('not_allowed', 'The agent has not shared the replies of this run.', {
      hint: 'An agent shares them with `share_replies: true` when it redeems the run.',
    });
  }
  const result = await readResult(ctx, run.id);
  if (result === undefined) {
    throw new DomainError('run_not_completed', `The run is ${run.status}.`, {
      hint: `${list} shows the \`status\` of each run.`,
    });
  }
  if (run.itemsPrunedAt !== null) {
    throw new DomainError('gone', 'The replies were deleted at the end of their retention.', {
      hint: `${list} still shows the score.`,
    });
  }
  const [seen, cases] = await Promise.all([
    countCasesSeen(ctx.db, [run.id]),
    // The owner reads its own cases.
    listCases(ctx, { ...paging, run, result, isOpen: true }),
  ]);
  const casesSeen = run.casesSeen ?? seen.get(run.id) ?? 0;
  if (run.agentId === ctx.agent.id) return { ...found, casesSeen, result, cases };
  return { ...found, casesSeen, result, cases: { ...cases, items: cases.items.map(withoutResponses) } };
}

/** An agent shares its replies, but not what its server says about a fault. */
function withoutResponses({ trials, ...one }: ListedCase): ListedCase {
  return { ...one, trials: trials.map(({ error_response: _response, ...trial }) => trial) };
}
