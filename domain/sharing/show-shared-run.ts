/** Shows a shared run to anybody with its link. Nothing is generated that is not shown. */
import { asc, eq } from 'drizzle-orm';
import type { StoredCase } from '#evals/suite/stored-case.ts';
import { findAgentById } from '../agents/find-agent.ts';
import { isSuspended } from '../agents/suspension.ts';
import { makeCard } from '../agent-runs/scorecard/make-card.ts';
import { type AgentRunDetail, findOwnAgentRun, showAgentRun } from '../agent-runs/show-agent-run.ts';
import type { ActingAgent, AgentCtx, Ctx } from '../context.ts';
import { DomainError } from '../errors.ts';
import { type EvalJobDetail, findOwnEvalJob, listCases, showEvalJob } from '../eval-jobs/show-eval-job.ts';
import type { ShownCase } from '#evals/suite/scorecard/shown-case.ts';
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
  readonly detail: SharedDetail;
}

export type SharedDetail =
  | (Pick<EvalJobDetail, 'job' | 'cases'> & {
      readonly kind: 'eval-job';
      readonly scoreJson: Record<string, unknown> | null;
    })
  | (AgentRunDetail & { readonly kind: 'agent-run' });

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
  return { share, agentHandle: agent.handle, detail: await readDetail(reading, share) };
}

async function readDetail(ctx: AgentCtx, { kind, runId, prompts }: SharedRunRow): Promise<SharedDetail> {
  switch (kind) {
    case 'eval-job': {
      if (!prompts) return { kind, ...(await readBareJob(ctx, runId)) };
      const { job, cases, scorecard } = await showEvalJob(ctx, { runId });
      return { kind, job, cases, scoreJson: scorecard?.scoreJson ?? null };
    }
    case 'agent-run':
      return {
        kind,
        ...(await (prompts ? showAgentRun(ctx, { runId }) : readBareRun(ctx, runId))),
      };
  }
}

async function readBareJob(ctx: AgentCtx, runId: string) {
  const { runScorecards } = ctx.db.tables;
  const job = await findOwnEvalJob(ctx, { runId });
  if (job.status !== 'completed') return { job, cases: [], scoreJson: null };
  const cases = (await listCases(ctx, { runId })).map(withoutTexts);
  const [scorecard] = await ctx.db.query
    .select({ scoreJson: runScorecards.scoreJson })
    .from(runScorecards)
    .where(eq(runScorecards.runId, runId));
  return { job, cases, scoreJson: scorecard?.scoreJson ?? null };
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
async function readBareRun(ctx: AgentCtx, runId: string): Promise<AgentRunDetail> {
  const { agentRunCalls, agentRunTasks } = ctx.db.tables;
  const run = await findOwnAgentRun(ctx, { runId });
  if (run.status !== 'completed' || run.verdicts === null) return { run, card: null };
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
  return { run, card: makeCard(run.verdicts, tasks, bare, []) };
}

/** The share of one of the agent's runs; null if it is not shared. */
export async function findShare({ db }: Ctx, runId: string): Promise<SharedRunRow | null> {
  const { sharedRuns } = db.tables;
  const [share] = await db.query.select().from(sharedRuns).where(eq(sharedRuns.runId, runId));
  return share ?? null;
}
