/**
 * A worker's claim on an agent run in push mode. Every claim raises `attempt`, and every write about the run is fenced
 * by it, so a worker that has lost its claim changes nothing.
 */
import { and, asc, eq, gt, isNull, lte, or, sql } from 'drizzle-orm';
import { inList } from '#db/in-list.ts';
import { lockRows } from '#db/locks.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import { isOpenRun } from '#db/schema/index-conditions.ts';
import { type Ctx, type TransactionCtx, withTransaction } from '../../context.ts';
import { evalLeaseMs, honestLeaseMaxMs } from '../../eval-jobs/eval-job.ts';
import { plusLethalReply } from '../../eval-jobs/reply-in-hand.ts';

export interface PushedRunKey {
  readonly runId: string;
  /** The attempt that the claim started. */
  readonly attempt: number;
}

export type PushedRunClaim =
  | { readonly state: 'claimed'; readonly run: RunRow }
  /** Another worker holds the claim. */
  | { readonly state: 'busy'; readonly leaseUntil: Date }
  /** The run has ended or does not exist. */
  | { readonly state: 'ended' };

/** Another worker has claimed the run. */
export class ClaimLost extends Error {
  override readonly name = 'ClaimLost';
}

export function claimPushedRun(ctx: Ctx, runId: string): Promise<PushedRunClaim> {
  return withTransaction(ctx, async ({ db, clock }) => {
    const { runs } = db.tables;
    const now = clock.now();
    const [run] = await db.query
      .update(runs)
      .set({
        attempt: sql`${runs.attempt} + 1`,
        lethalReplies: plusLethalReply(runs),
        replyAttempt: null,
        leaseUntil: new Date(now.getTime() + evalLeaseMs),
      })
      .where(
        and(
          eq(runs.id, runId),
          isOpenRun(runs),
          or(
            isNull(runs.leaseUntil),
            lte(runs.leaseUntil, now),
            gt(runs.leaseUntil, new Date(now.getTime() + honestLeaseMaxMs)),
          ),
        ),
      )
      .returning();
    if (run !== undefined) return { state: 'claimed', run };
    const [held] = await db.query
      .select({ leaseUntil: runs.leaseUntil })
      .from(runs)
      .where(and(eq(runs.id, runId), isOpenRun(runs)));
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
    const { runs } = db.tables;
    const runIds = claims.map(({ runId }) => runId);
    const open = await lockRows(
      db,
      db.query
        .select({ id: runs.id, attempt: runs.attempt })
        .from(runs)
        .where(and(inList(db, runs.id, runIds), isOpenRun(runs)))
        .orderBy(asc(runs.id)),
    );
    const attempts = new Map(open.map(({ id, attempt }) => [id, attempt]));
    const held = claims.map(({ runId, attempt }) => attempts.get(runId) === attempt);
    const heldIds = runIds.filter((_, index) => held[index]);
    await db.query
      .update(runs)
      .set({ leaseUntil: new Date(clock.now().getTime() + evalLeaseMs) })
      .where(inList(db, runs.id, heldIds));
    return held;
  });
}

/** Releases the run for another worker. This attempt does not count against the run. */
export async function handBackPushedRun(ctx: Ctx, { runId, attempt }: PushedRunKey): Promise<void> {
  await withTransaction(ctx, ({ db, clock }) => {
    const { runs } = db.tables;
    return db.query
      .update(runs)
      .set({ leaseUntil: clock.now(), releases: sql`${runs.releases} + 1`, replyAttempt: null })
      .where(and(eq(runs.id, runId), eq(runs.attempt, attempt), isOpenRun(runs)));
  });
}

/** Notes that the claim holds a reply of the target, or no longer does. */
export async function notePushedReply(
  ctx: Ctx,
  { runId, attempt }: PushedRunKey,
  isHeld: boolean,
): Promise<void> {
  await withTransaction(ctx, ({ db }) => {
    const { runs } = db.tables;
    return db.query
      .update(runs)
      .set({ replyAttempt: isHeld ? attempt : null })
      .where(and(eq(runs.id, runId), eq(runs.attempt, attempt), isOpenRun(runs)));
  });
}

/**
 * Locks the run of a claim. It may have ended.
 * @throws ClaimLost
 */
export async function lockClaimedRun(
  { db }: TransactionCtx,
  { runId, attempt }: PushedRunKey,
): Promise<RunRow> {
  const { runs } = db.tables;
  const [run] = await lockRows(
    db,
    db.query
      .select()
      .from(runs)
      .where(and(eq(runs.id, runId), eq(runs.attempt, attempt))),
  );
  if (run === undefined) throw new ClaimLost(`The claim on agent run ${runId} is lost.`);
  return run;
}
