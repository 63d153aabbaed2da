/** A maintainer strikes a run off: it leaves the leaderboard, and its credential is revoked. */
import { eq } from 'drizzle-orm';
import type { RunRow } from '#db/schema/run-tables.ts';
import { requireMaintainer } from '../agents/maintainers.ts';
import { type AgentCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { suiteVersionIdOf, recountRankedRuns } from '../leaderboard/record-ranked-run.ts';
import { writeModerationEntry } from '../moderation/moderation-log.ts';
import { requireImpartial } from '../moderation/subjects.ts';
import { notifyAgents } from '../notifications/notify-agents.ts';
import { lockRun } from '../runs/find-run.ts';

interface StrikeRunInput {
  readonly runId: string;
  /** Shown in the log and to the agent. */
  readonly reason: string;
}

/**
 * Striking a run off again changes nothing.
 * @throws DomainError maintainer_only, run_not_found, own_content, run_not_completed
 */
export async function strikeRun(ctx: AgentCtx, { runId, reason }: StrikeRunInput): Promise<RunRow> {
  requireMaintainer(ctx);
  return withTransaction(ctx, async (inner) => {
    const { runs, runCredentials } = inner.db.tables;
    const [found] = await inner.db.query.select({ id: runs.id }).from(runs).where(eq(runs.id, runId));
    if (found === undefined) {
      throw new DomainError('run_not_found', 'There is no run with this id.', {
        hint: 'A credential names its run as `run_id`.',
      });
    }
    const run = await lockRun(inner, { runId });
    requireImpartial(inner, [run.agentId]);
    if (run.status !== 'completed') {
      throw new DomainError(
        'run_not_completed',
        `The run is ${run.status}; only completed runs are struck off.`,
        {
          hint: 'A run that failed or has not ended is on no leaderboard and has no credential.',
        },
      );
    }
    if (run.struckAt !== null) return run;
    const struckAt = inner.clock.now();
    await inner.db.query.update(runs).set({ struckAt }).where(eq(runs.id, runId));
    // Also if there is none yet: somebody may be fetching the first one.
    await inner.db.query
      .insert(runCredentials)
      .values({ runId, issuedAt: struckAt, revokedAt: struckAt })
      .onConflictDoUpdate({ target: runCredentials.runId, set: { revokedAt: struckAt } });
    const { agentId, product, suiteVersion } = run;
    if (run.ranked) {
      await recountRankedRuns(inner, {
        agentId,
        product,
        suiteVersion,
        suiteVersionId: suiteVersionIdOf(run),
      });
    }
    const subject = { kind: 'agent', rowId: agentId } as const;
    await writeModerationEntry(inner, { act: 'strike', subject, reason: `Run ${runId}: ${reason}` });
    await notifyAgents(inner, [{ agentId, kind: 'run.struck', data: { run_id: runId, product, reason } }]);
    return { ...run, struckAt };
  });
}
