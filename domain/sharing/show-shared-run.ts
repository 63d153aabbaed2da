/** Shows a shared run to anybody with its link. Nothing is generated that is not shown. */
import { asc, eq } from 'drizzle-orm';
import type { StoredCase } from '#evals/suite/stored-case.ts';
import { findAgentById } from '../agents/find-agent.ts';
import { isSuspended } from '../agents/suspension.ts';
import { findOwnAgentRun, showAgentRun } from '../agent-runs/show-agent-run.ts';
import type { ActingAgent, AgentCtx, Ctx } from '../context.ts';
import { DomainError } from '../errors.ts';
import { listCases, showEvalJob } from '../eval-jobs/show-eval-job.ts';
import { makeCard } from '#evals/office/scorecard/make-card.ts';
import { agentRunScorecard } from '#evals/office/scorecard/model.ts';
import type { ScorecardModel } from '#evals/scorecard/model.ts';
import { evalRunScorecard, type ShownCase } from '#evals/suite/scorecard/model.ts';
import { isScoreJson } from '#evals/suite/scorecard/score-json-schema.ts';
import { contentHidden, maySeeHidden } from '../moderation/hidden-content.ts';
import type { SharedRunRow } from './own-run.ts';
import { readShareToken } from './share-token.ts';

export interface SharedRun {
  readonly share: SharedRunRow;
  readonly agent: ActingAgent;
}

export interface ShownSharedRun {
  readonly share: SharedRunRow;
  readonly agentHandle: string;
  /** The product of the run. */
  readonly product: string;
  /** Null if the run has no scorecard. */
  readonly scorecard: ScorecardModel | null;
}

export interface SharedRunInput {
  readonly token: string;
  readonly secretKey: string;
  readonly viewer: ActingAgent | null;
}

/**
 * @throws DomainError not_found if the token is wrong or the share is revoked; content_hidden if a maintainer has hidden
 * the scorecard or its agent, or suspended the agent
 */
export async function findSharedRun(
  ctx: Ctx,
  { token, secretKey, viewer }: SharedRunInput,
): Promise<SharedRun> {
  const { sharedRuns } = ctx.db.tables;
  const id = readShareToken(token, secretKey);
  const [share] =
    id === null ? [] : await ctx.db.query.select().from(sharedRuns).where(eq(sharedRuns.id, id));
  const agent = share === undefined ? null : await findAgentById(ctx.db, share.agentId);
  if (share === undefined || agent === null) {
    throw new DomainError('not_found', 'Nothing is shared at this address, or the link has been revoked.', {
      hint: 'Ask the person who gave you the link for a new one.',
    });
  }
  const isHidden = share.hiddenAt !== null || agent.hiddenAt !== null || isSuspended(agent, ctx.clock.now());
  if (isHidden && !maySeeHidden(ctx, viewer, agent.id)) throw contentHidden('scorecard');
  return { share, agent };
}

/** The contents of a shared run. Without texts, checks and verdicts keep only their names. */
export async function readSharedRun(ctx: Ctx, { share, agent }: SharedRun): Promise<ShownSharedRun> {
  const reading = { ...ctx, agent };
  return { share, agentHandle: agent.handle, ...(await readScorecard(reading, share)) };
}

async function readScorecard(
  ctx: AgentCtx,
  { kind, runId, prompts }: SharedRunRow,
): Promise<Pick<ShownSharedRun, 'product' | 'scorecard'>> {
  switch (kind) {
    case 'eval-job': {
      const product = 'eval-run';
      if (!prompts) return { product, scorecard: await readBareJob(ctx, runId) };
      const { scorecard } = await showEvalJob(ctx, { runId });
      return { product, scorecard: scorecard?.model ?? null };
    }
    case 'agent-run': {
      const product = 'agent-run';
      if (!prompts) return { product, scorecard: await readBareRun(ctx, runId) };
      const { scorecard } = await showAgentRun(ctx, { runId });
      return { product, scorecard };
    }
  }
}

async function readBareJob(ctx: AgentCtx, runId: string): Promise<ScorecardModel | null> {
  const { runScorecards } = ctx.db.tables;
  const [stored] = await ctx.db.query
    .select({ scoreJson: runScorecards.scoreJson })
    .from(runScorecards)
    .where(eq(runScorecards.runId, runId));
  if (stored === undefined || !isScoreJson(stored.scoreJson)) return null;
  return evalRunScorecard(stored.scoreJson, (await listCases(ctx, { runId })).map(withoutTexts));
}

/** Messages of checks quote replies and expected results. */
function withoutTexts({ checks, ...stored }: StoredCase): ShownCase {
  return {
    ...stored,
    prompt: null,
    expected: null,
    found: null,
    response_text: null,
    checks: checks.map((check) => ({ ...check, message: '' })),
  };
}

/** Without the tasks, the card explains no fault; of calls it shows their number and duration. */
async function readBareRun(ctx: AgentCtx, runId: string): Promise<ScorecardModel | null> {
  const { agentRunCalls, agentRunTasks } = ctx.db.tables;
  const run = await findOwnAgentRun(ctx, { runId });
  if (run.status !== 'completed' || run.verdicts === null) return null;
  const tasks = await ctx.db.query
    .select({ n: agentRunTasks.n, handedOutAt: agentRunTasks.handedOutAt })
    .from(agentRunTasks)
    .where(eq(agentRunTasks.runId, run.id));
  const calls = await ctx.db.query
    .select({ n: agentRunCalls.n, madeAt: agentRunCalls.madeAt })
    .from(agentRunCalls)
    .where(eq(agentRunCalls.runId, run.id))
    .orderBy(asc(agentRunCalls.n), asc(agentRunCalls.position));
  const bare = calls.map((call) => ({ ...call, tool: '', args: null, result: {} }));
  return agentRunScorecard(run, makeCard(run.verdicts, tasks, bare, []), []);
}

/** The share of one of the agent's runs; null if it is not shared. */
export async function findShare({ db }: Ctx, runId: string): Promise<SharedRunRow | null> {
  const { sharedRuns } = db.tables;
  const [share] = await db.query.select().from(sharedRuns).where(eq(sharedRuns.runId, runId));
  return share ?? null;
}
