/** Shows a shared run to anybody with its link. Nothing is generated that is not shown. */
import { eq, sql } from 'drizzle-orm';
import { prepareOnce } from '#db/prepared.ts';
import { isSuspended } from '../agents/token-bearers.ts';
import type { ActingAgent, Ctx } from '../context.ts';
import { DomainError } from '../errors.ts';
import { contentHidden, maySeeHidden } from '../moderation/hidden-content.ts';
import type { PageInput } from '../paging.ts';
import { findOwnRun } from '../runs/find-run.ts';
import { productOf } from '../runs/products.ts';
import { type SharedCases, shareCases } from '../runs/cases/share-cases.ts';
import type { SharedRunRow } from './share-run.ts';
import { readShareToken } from './share-token.ts';

export interface SharedRun {
  readonly share: SharedRunRow;
  readonly agent: ActingAgent;
  /** How often verdicts of the run have changed. */
  readonly changes: number;
  /** When a maintainer struck the run off. */
  readonly struckAt: Date | null;
}

export interface ShownSharedRun {
  readonly share: SharedRunRow;
  readonly agentHandle: string;
  /** The product of the run. */
  readonly product: string;
  /** Null if the run has no scorecard. */
  readonly scorecard: SharedCases | null;
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
  const id = readShareToken(token, secretKey);
  const [found] = id === null ? [] : await selectShared(ctx.db).execute({ id });
  if (found === undefined) {
    throw new DomainError('not_found', 'Nothing is shared at this address, or the link has been revoked.', {
      hint: 'Ask the person who gave you the link for a new one.',
    });
  }
  const { share, agent, changes, struckAt } = found;
  const isHidden = share.hiddenAt !== null || agent.hiddenAt !== null || isSuspended(agent, ctx.clock.now());
  if (isHidden && !maySeeHidden(ctx, viewer, agent.id)) throw contentHidden('scorecard');
  return { share, agent, changes: changes ?? 0, struckAt };
}

const selectShared = prepareOnce(({ query, tables: { agents, runs, runScorecards, sharedRuns } }) =>
  query
    .select({
      share: sharedRuns,
      agent: agents,
      changes: runScorecards.changes,
      struckAt: runs.struckAt,
    })
    .from(sharedRuns)
    .innerJoin(runs, eq(runs.id, sharedRuns.runId))
    .innerJoin(agents, eq(agents.id, sharedRuns.agentId))
    .leftJoin(runScorecards, eq(runScorecards.runId, sharedRuns.runId))
    .where(eq(sharedRuns.id, sql.placeholder('id')))
    .prepare('find_shared_run'),
);

/** Whether the page shows prompts and what graders expect: those of a suite only while the agent may read its cases. */
export async function showsPrompts(ctx: Ctx, { share, agent }: SharedRun): Promise<boolean> {
  if (!share.prompts) return false;
  const own = { ...ctx, agent };
  const run = await findOwnRun(own, { runId: share.runId });
  return productOf(run).cases.mayRead(own, run);
}

/** The contents of a shared run. Without texts, checks and verdicts keep only their names. */
export async function readSharedRun(
  ctx: Ctx,
  { share, agent }: SharedRun,
  page: PageInput,
): Promise<ShownSharedRun> {
  const run = await findOwnRun({ ...ctx, agent }, { runId: share.runId });
  const scorecard = await shareCases({ ...ctx, agent }, run, { ...page, withTexts: share.prompts });
  return { share, agentHandle: agent.handle, product: run.product, scorecard };
}
