/**
 * A worker's claim on a run. Every claim raises `attempt`, and every write of a worker is conditional on it (the fence),
 * so a worker that has lost its claim changes nothing. The lease only says when the worker counts as dead.
 */
import { and, asc, eq, gt, inArray, isNull, lte, or, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { inList } from '#db/conditions.ts';
import { lockRows } from '#db/transaction.ts';
import { isOpenRun } from '#db/schema/index-conditions.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import { networkOfAgent } from '#runtime/turns/turns.ts';
import { type Ctx, withTransaction } from '../context.ts';
import { honestLeaseMaxMs, runLeaseMs } from './run-limits.ts';

export interface RunClaim {
  readonly runId: string;
  /** The attempt that the claim started. */
  readonly attempt: number;
}

export type ClaimedRun =
  /** Held until another claim raises `run.attempt`. */
  | { readonly state: 'claimed'; readonly run: RunRow }
  /** Another worker holds the claim. */
  | { readonly state: 'busy'; readonly leaseUntil: Date }
  /** The run has ended or does not exist. */
  | { readonly state: 'ended' };

/** Claims a run for a worker: the first time, or after the previous worker has died. */
export function claimRun(ctx: Ctx, { runId }: { readonly runId: string }): Promise<ClaimedRun> {
  return withTransaction(ctx, async ({ db, clock }) => {
    const { runs } = db.tables;
    const now = clock.now();
    const isFree = or(
      isNull(runs.leaseUntil),
      lte(runs.leaseUntil, now),
      gt(runs.leaseUntil, new Date(now.getTime() + honestLeaseMaxMs)),
    );
    const [run] = await db.query
      .update(runs)
      .set({
        status: 'running',
        attempt: sql`${runs.attempt} + 1`,
        startedAt: sql`coalesce(${runs.startedAt}, ${sql.param(now, runs.startedAt)})`,
        leaseUntil: new Date(now.getTime() + runLeaseMs),
      })
      .where(and(eq(runs.id, runId), inArray(runs.status, ['queued', 'running']), isFree))
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
 * @returns for each claim, in order, whether it still holds; false when another worker has it or the run has ended
 */
export function renewRunLeases(ctx: Ctx, claims: readonly RunClaim[]): Promise<boolean[]> {
  return withTransaction(ctx, async ({ db, clock }) => {
    const { runs } = db.tables;
    const ids = claims.map(({ runId }) => runId);
    const running = await lockRows(
      db,
      db.query
        .select({ id: runs.id, attempt: runs.attempt })
        .from(runs)
        .where(and(inList(db, runs.id, ids), eq(runs.status, 'running')))
        .orderBy(asc(runs.id)),
    );
    const attempts = new Map(running.map(({ id, attempt }) => [id, attempt]));
    const held = claims.map(({ runId, attempt }) => attempts.get(runId) === attempt);
    const heldIds = ids.filter((_, index) => held[index]);
    await db.query
      .update(runs)
      .set({ leaseUntil: new Date(clock.now().getTime() + runLeaseMs) })
      .where(inList(db, runs.id, heldIds));
    return held;
  });
}

/** Releases an unfinished run for another worker. What is stored is kept, and this attempt does not count against the run. */
export async function releaseRun(ctx: Ctx, claim: RunClaim): Promise<void> {
  const { runId, attempt } = claim;
  await withTransaction(ctx, ({ db, clock }) => {
    const { runs } = db.tables;
    return db.query
      .update(runs)
      .set({ leaseUntil: clock.now(), releases: sql`${runs.releases} + 1` })
      .where(and(eq(runs.id, runId), eq(runs.attempt, attempt), eq(runs.status, 'running')));
  });
}

/**
 * Notes that the host of a run's target names the agent in its consent. This is so whichever worker finds it out. Another
 * origin, to which the card of an A2A agent led, says nothing about the host that the leaderboard shows.
 */
export async function noteNamedHost(
  ctx: Ctx,
  { runId, origin }: Pick<RunClaim, 'runId'> & { readonly origin: string },
): Promise<void> {
  await withTransaction(ctx, async ({ db }) => {
    const { runs } = db.tables;
    const isUnnoted = and(eq(runs.id, runId), eq(runs.hostNamed, false));
    const [run] = await db.query.select({ targetUrl: runs.targetUrl }).from(runs).where(isUnnoted);
    if (URL.parse(run?.targetUrl ?? '')?.origin !== origin) return;
    await db.query.update(runs).set({ hostNamed: true }).where(isUnnoted);
  });
}

/** Whose run a worker takes, so that workers share their slots fairly. */
export interface Claimant {
  readonly agentId: string;
  readonly network: string;
  readonly did: string;
  readonly targetUrl: string;
}

/** Empty texts for what is gone with a closed account; its run has ended. A run that is regraded calls nothing. */
export async function findClaimant(db: Database, runId: string): Promise<Claimant> {
  const { agents, runs } = db.tables;
  const [run] = await db.query
    .select({
      agentId: runs.agentId,
      network: agents.network,
      did: agents.did,
      targetUrl: runs.targetUrl,
    })
    .from(runs)
    .innerJoin(agents, eq(agents.id, runs.agentId))
    .where(eq(runs.id, runId));
  const { agentId = '', network = null, did = null, targetUrl = null } = run ?? {};
  return { agentId, targetUrl: targetUrl ?? '', did: did ?? '', network: networkOfAgent(network, agentId) };
}
