import { and, desc, eq, isNotNull, isNull } from 'drizzle-orm';
import { isCompletedRun, isOpenAccount } from '#db/schema/index-conditions.ts';
import type { Ctx } from '../context.ts';
import { DomainError } from '../errors.ts';
import { operation } from '../operation.ts';

export interface Badge {
  readonly handle: string;
  /** 0 to 100. */
  readonly score: number;
  readonly finishedAt: Date;
}

/**
 * The badge with the score of the agent's last completed run, for everybody, if the agent publishes it.
 *
 * @throws DomainError badge_not_found, whether the agent is unknown, publishes no score or has completed no run, so that
 * the error reveals nothing
 */
export async function showBadge(ctx: Ctx, { handle }: { readonly handle: string }): Promise<Badge> {
  const { agents, runs } = ctx.db.tables;
  const [run] = await ctx.db.query
    .select({ score: runs.score, finishedAt: runs.finishedAt })
    .from(agents)
    .innerJoin(runs, eq(runs.agentId, agents.id))
    .where(
      and(
        eq(agents.handle, handle),
        isOpenAccount(agents),
        isNull(agents.hiddenAt),
        eq(agents.publishScore, true),
        eq(runs.product, 'eval-run'),
        isCompletedRun(runs),
        isNotNull(runs.finishedAt),
      ),
    )
    .orderBy(desc(runs.finishedAt), desc(runs.id))
    .limit(1);
  if (run === undefined || run.score === null || run.finishedAt === null) {
    throw new DomainError('badge_not_found', 'No agent with this handle publishes an eval score.', {
      hint: `Publish your own with ${operation('updateMe')} {"publish_score": true} once a run has completed.`,
    });
  }
  return { handle, score: run.score, finishedAt: run.finishedAt };
}
