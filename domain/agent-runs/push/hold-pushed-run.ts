/**
 * A worker's claim on an agent run in push mode. Every claim raises `attempt`, and every write about the run is fenced
 * by it, so a worker that has lost its claim changes nothing.
 */
import { and, asc, eq, gt, isNull, lte, or, sql } from 'drizzle-orm';
import { inList } from '#db/in-list.ts';
import { lockRows } from '#db/locks.ts';
import type { AgentRunRow } from '#db/schema/agent-run-tables.ts';
import { isOpenAgentRun } from '#db/schema/index-conditions.ts';
import { type Ctx, type TransactionCtx, withTransaction } from '../../context.ts';
import { evalLeaseMs, honestLeaseMaxMs } from '../../eval-jobs/eval-job.ts';
import { plusLethalReply } from '../../eval-jobs/reply-in-hand.ts';

export interface PushedRunKey {
  readonly agentRunId: string;
  /** The attempt that the claim started. */
  readonly attempt: number;
}

export type PushedRunClaim =
  | { readonly state: 'claimed'; readonly run: AgentRunRow }
  /** Another worker holds the claim. */
  | { readonly state: 'busy'; readonly leaseUntil: Date }
  /** The run has ended or does not exist. */
  | { readonly state: 'ended' };

/** Another worker has claimed the run. */
export class ClaimLost extends Error {
  override readonly name = 'ClaimLost';
}

export function claimPushedRun(ctx: Ctx, agentRunId: string): Promise<PushedRunClaim> {
  return withTransaction(ctx, async ({ db, clock }) => {
    const { agentRuns } = db.tables;
    const now = clock.now();
    const [run] = await db.query
      .update(agentRuns)
      .set({
        attempt: sql`${agentRuns.attempt} + 1`,
        lethalReplies: plusLethalReply(agentRuns),
        replyAttempt: null,
        leaseUntil: new Date(now.getTime() + evalLeaseMs),
      })
      .where(
        and(
          eq(agentRuns.id, agentRunId),
          isOpenAgentRun(agentRuns),
          or(
            isNull(agentRuns.leaseUntil),
            lte(agentRuns.leaseUntil, now),
            gt(agentRuns.leaseUntil, new Date(now.getTime() + honestLeaseMaxMs)),
          ),
        ),
      )
      .returning();
    if (run !== undefined) return { state: 'claimed', run };
    const [held] = await db.query
      .select({ leaseUntil: agentRuns.leaseUntil })
      .from(agentRuns)
      .where(and(eq(agentRuns.id, agentRunId), isOpenAgentRun(agentRuns)));
    const leaseUntil = held?.leaseUntil ?? null;
    return leaseUntil === null ? { state: 'ended' } : { state: 'busy', leaseUntil };
  });
}

/**
 * Renews the claims of one worker process.
 * @returns for each claim, in order, whether it still holds
 */
export function renewPushedRunLeases(ctx: Ctx, claims: readonly PushedRunKey[]): Promise<boolean[]> {
  return withTransaction(ctx, async ({ db, clock }) => {
    const { agentRuns } = db.tables;
    const runIds = claims.map(({ agentRunId }) => agentRunId);
    const open = await lockRows(
      db,
      db.query
        .select({ id: agentRuns.id, attempt: agentRuns.attempt })
        .from(agentRuns)
        .where(and(inList(db, agentRuns.id, runIds), isOpenAgentRun(agentRuns)))
        .orderBy(asc(agentRuns.id)),
    );
    const attempts = new Map(open.map(({ id, attempt }) => [id, attempt]));
    const held = claims.map(({ agentRunId, attempt }) => attempts.get(agentRunId) === attempt);
    const heldIds = runIds.filter((_, index) => held[index]);
    await db.query
      .update(agentRuns)
      .set({ leaseUntil: new Date(clock.now().getTime() + evalLeaseMs) })
      .where(inList(db, agentRuns.id, heldIds));
    return held;
  });
}

/** Releases the run for another worker. This attempt does not count against the run. */
export async function handBackPushedRun(ctx: Ctx, { agentRunId, attempt }: PushedRunKey): Promise<void> {
  await withTransaction(ctx, ({ db, clock }) => {
    const { agentRuns } = db.tables;
    return db.query
      .update(agentRuns)
      .set({ leaseUntil: clock.now(), handBacks: sql`${agentRuns.handBacks} + 1`, replyAttempt: null })
      .where(and(eq(agentRuns.id, agentRunId), eq(agentRuns.attempt, attempt), isOpenAgentRun(agentRuns)));
  });
}

/** Notes that the claim holds a reply of the target, or no longer does. */
export async function notePushedReply(
  ctx: Ctx,
  { agentRunId, attempt }: PushedRunKey,
  isHeld: boolean,
): Promise<void> {
  await withTransaction(ctx, ({ db }) => {
    const { agentRuns } = db.tables;
    return db.query
      .update(agentRuns)
      .set({ replyAttempt: isHeld ? attempt : null })
      .where(and(eq(agentRuns.id, agentRunId), eq(agentRuns.attempt, attempt), isOpenAgentRun(agentRuns)));
  });
}

/**
 * Locks the run of a claim. It may have ended.
 * @throws ClaimLost
 */
export async function lockClaimedRun(
  { db }: TransactionCtx,
  { agentRunId, attempt }: PushedRunKey,
): Promise<AgentRunRow> {
  const { agentRuns } = db.tables;
  const [run] = await lockRows(
    db,
    db.query
      .select()
      .from(agentRuns)
      .where(and(eq(agentRuns.id, agentRunId), eq(agentRuns.attempt, attempt))),
  );
  if (run === undefined) throw new ClaimLost(`The claim on agent run ${agentRunId} is lost.`);
  return run;
}
