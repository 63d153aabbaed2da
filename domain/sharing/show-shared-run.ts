/** Shows a shared run to anybody with its link. */
import { eq } from 'drizzle-orm';
import { findAgentById } from '../agents/find-agent.ts';
import { type AgentRunDetail, showAgentRun } from '../agent-runs/show-agent-run.ts';
import type { AgentCtx, Ctx } from '../context.ts';
import { DomainError } from '../errors.ts';
import { type EvalJobDetail, showEvalJob } from '../eval-jobs/show-eval-job.ts';
import type { SharedRunRow } from './own-run.ts';
import { readShareToken } from './share-token.ts';

export interface ShownSharedRun {
  readonly share: SharedRunRow;
  readonly agentHandle: string;
  readonly detail: SharedDetail;
}

export type SharedDetail =
  | (EvalJobDetail & { readonly kind: 'eval-job' })
  | (AgentRunDetail & { readonly kind: 'agent-run' });

/** @throws DomainError not_found if the token is wrong or the share is revoked */
export async function showSharedRun(
  ctx: Ctx,
  { token, secretKey }: { readonly token: string; readonly secretKey: string },
): Promise<ShownSharedRun> {
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
  return { share, agentHandle: agent.handle, detail: await readRun({ ...ctx, agent }, share) };
}

/** @param ctx the context of the agent that shares the run */
async function readRun(ctx: AgentCtx, { kind, runId }: SharedRunRow): Promise<SharedDetail> {
  switch (kind) {
    case 'eval-job':
      return { kind, ...(await showEvalJob(ctx, { evalJobId: runId })) };
    case 'agent-run':
      return { kind, ...(await showAgentRun(ctx, { agentRunId: runId })) };
  }
}

/** The share of one of the agent's runs; null if it is not shared. */
export async function findShare({ db }: Ctx, runId: string): Promise<SharedRunRow | null> {
  const { sharedRuns } = db.tables;
  const [share] = await db.query.select().from(sharedRuns).where(eq(sharedRuns.runId, runId));
  return share ?? null;
}
