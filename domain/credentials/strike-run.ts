/**
 * A maintainer strikes a run off: it leaves the leaderboard and the published scores, and its credential is revoked. So do
 * all runs with the same replies.
 */
import { and, asc, eq, isNotNull } from 'drizzle-orm';
import { inList } from '#db/conditions.ts';
import { lockRows } from '#db/transaction.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import { holdAgent } from '../agents/find-agent.ts';
import { requireMaintainer } from '../agents/maintainers.ts';
import { type AgentCtx, type TransactionCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { suiteVersionIdOf, recountRankedRuns } from '../leaderboard/record-ranked-run.ts';
import { writeModerationEntry } from '../moderation/moderation-log.ts';
import { requireImpartial } from '../moderation/subjects.ts';
import { notifyAgents } from '../notifications/notify-agents.ts';

interface StrikeRunInput {
  readonly runId: string;
  /** Shown in the log and to the agent. */
  readonly reason: string;
}

const revokedAtOnce = 1_000;

/**
 * Striking a run off again changes nothing.
 * @throws DomainError maintainer_only, run_not_found, own_content, run_not_completed
 */
export async function strikeRun(ctx: AgentCtx, { runId, reason }: StrikeRunInput): Promise<RunRow> {
  requireMaintainer(ctx);
  return withTransaction(ctx, async (inner) => {
    const { runs, runCredentials } = inner.db.tables;
    const [found] = await inner.db.query
      .select({ id: runs.id, agentId: runs.agentId })
      .from(runs)
      .where(eq(runs.id, runId));
    const same = found === undefined ? [] : await lockSameReplies(inner, found);
    const run = same.find(({ id }) => id === runId);
    if (run === undefined) {
      throw new DomainError('run_not_found', 'There is no run with this id.', {
        hint: 'A credential names its run as `run_id`.',
      });
    }
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
    const ids = same.map(({ id }) => id);
    await inner.db.query
      .update(runs)
      .set({ struckAt })
      .where(inList(inner.db, runs.id, ids));
    // Also those that there are none of yet: somebody may be fetching the first one.
    const revoked = ids.map((id) => ({ runId: id, issuedAt: struckAt, revokedAt: struckAt }));
    while (revoked.length > 0) {
      await inner.db.query
        .insert(runCredentials)
        .values(revoked.splice(0, revokedAtOnce))
        .onConflictDoUpdate({ target: runCredentials.runId, set: { revokedAt: struckAt } });
    }
    const { agentId, product } = run;
    const { closedAt } = await holdAgent(inner, agentId);
    for (const { ranked, suiteVersion, ...counted } of same) {
      // A closed account is on no leaderboard.
      if (!ranked || closedAt !== null) continue;
      const suiteVersionId = suiteVersionIdOf(counted);
      await recountRankedRuns(inner, { agentId, product, suiteVersion, suiteVersionId });
    }
    const subject = { kind: 'agent', rowId: agentId } as const;
    await writeModerationEntry(inner, { act: 'strike', subject, reason: `Run ${runId}: ${reason}` });
    await notifyAgents(inner, [{ agentId, kind: 'run.struck', data: { run_id: runId, product, reason } }]);
    return { ...run, struckAt };
  });
}

/** Locks the run that got the replies, and all that were regraded from it. */
async function lockSameReplies(ctx: TransactionCtx, run: Pick<RunRow, 'id' | 'agentId'>): Promise<RunRow[]> {
  const { runs } = ctx.db.tables;
  for (let known = 0; ;) {
    const ids = await findSameReplies(ctx, run);
    const same = await lockRows(
      ctx.db,
      ctx.db.query
        .select()
        .from(runs)
        .where(inList(ctx.db, runs.id, ids))
        .orderBy(asc(runs.id)),
    );
    // One may have been regraded meanwhile. While they are locked, none is.
    if (same.length === known) return same;
    known = same.length;
  }
}

async function findSameReplies(
  { db }: TransactionCtx,
  { id: runId, agentId }: Pick<RunRow, 'id' | 'agentId'>,
): Promise<readonly string[]> {
  const { runs } = db.tables;
  const regraded = await db.query
    .select({ id: runs.id, from: runs.regradedFrom })
    .from(runs)
    .where(and(eq(runs.agentId, agentId), isNotNull(runs.regradedFrom)));
  const sources = new Map(regraded.map(({ id, from }) => [id, from]));
  let first = runId;
  for (let from = sources.get(first); from != null; from = sources.get(first)) first = from;
  const copies = Map.groupBy(regraded, ({ from }) => from);
  const same = [first];
  for (const each of same) same.push(...(copies.get(each) ?? []).map(({ id }) => id));
  return same;
}
