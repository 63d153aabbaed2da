import type { EvalJobRow, HandOutRow } from '#db/schema/eval-tables.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { eq, sql } from 'drizzle-orm';
import { type AgentCtx, type Ctx, type TransactionCtx, withTransaction } from '../../context.ts';
import { caseInError, type CaseSource, caseSourceOf } from '../case-source.ts';
import { evalJobTopic } from '../eval-job.ts';
import { requireSuite } from '../suite-of-run.ts';
import { endPullRun } from './end-pull-run.ts';
import {
  caseIdOf,
  findOwnPullRun,
  handOutsMax,
  hasEnded,
  mustEnd,
  leaseMs,
  lockRun,
  type PullState,
  readPullState,
} from './pull-run.ts';
import { storePulledCases } from './store-pulled-cases.ts';

export interface HandedOutCase {
  readonly caseId: string;
  readonly index: number;
  /** The conversation so far; the last message is the prompt. */
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: string }[];
  /** Counted from 1. */
  readonly turn: number;
  readonly turns: number;
  readonly expiresAt: Date;
}

export interface HandedOut {
  readonly cases: readonly HandedOutCase[];
  /** Cases without an answer so far. */
  readonly remaining: number;
  readonly ended: boolean;
}

/**
 * Leases open cases of the agent's own run, at most `limit`. Cases of the second stage open once every case of the
 * first has been answered or has expired twice.
 *
 * @throws DomainError eval_job_not_found, not_pull_mode
 */
export async function handOutCases(
  ctx: AgentCtx,
  { evalJobId, limit }: { readonly evalJobId: string; readonly limit: number },
): Promise<HandedOut> {
  const found = await findOwnPullRun(ctx, evalJobId);
  const job = mustEnd(ctx, found) && !hasEnded(found) ? await endPullRun(ctx, evalJobId) : found;
  if (hasEnded(job)) return { cases: [], remaining: 0, ended: true };
  const source = caseSourceOf(requireSuite(ctx, job), job);
  // A waiting request that finds nothing takes no lock.
  const seen = sortOpen(ctx, source, await readPullState(ctx, evalJobId));
  if (seen.free.length === 0 && seen.expired.length === 0) return nothing(job);
  const leased = await withTransaction(ctx, (inner) => lease(inner, source, evalJobId, limit));
  return {
    cases: leased.rows.map((row) => showCase(source, leased.state, row)),
    remaining: leased.remaining,
    ended: leased.ended,
  };
}

function nothing({ progressDone, progressTotal }: EvalJobRow): HandedOut {
  return { cases: [], remaining: progressTotal - progressDone, ended: false };
}

async function lease(ctx: TransactionCtx, source: CaseSource, evalJobId: string, limit: number) {
  const job = await lockRun(ctx, evalJobId);
  const state = await readPullState(ctx, evalJobId);
  if (hasEnded(job)) return { rows: [], state, remaining: 0, ended: true };
  const { free, expired } = sortOpen(ctx, source, state);
  const lost = expired.map((index) => {
    const planned = source.planned(state.recorded)[index];
    if (planned === undefined) throw new RangeError(`Case ${index} was handed out before it was planned.`);
    return caseInError(planned, 'not_answered', handOutsMax);
  });
  const ended = await storePulledCases(ctx, job, lost);
  const rows = free.slice(0, limit).map((index) => leaseOf(ctx, state, evalJobId, index));
  await saveLeases(ctx, rows);
  if (job.status === 'queued' && rows.length > 0) await begin(ctx, evalJobId);
  crashPoint('cases.handing-out');
  return { rows, state, remaining: job.progressTotal - job.progressDone - lost.length, ended };
}

/** The indexes that can be leased now, and those whose last lease has expired. */
function sortOpen(ctx: Ctx, source: CaseSource, state: PullState) {
  const now = ctx.clock.now();
  const open = source.open(state.recorded).map(({ index }) => index);
  const leased = (index: number) => state.handOuts.get(index);
  const isOut = (row: HandOutRow) => row.times > 0 && row.expiresAt > now;
  return {
    free: open.filter((index) => {
      const row = leased(index);
      return row === undefined || (!isOut(row) && row.times < handOutsMax);
    }),
    expired: open.filter((index) => {
      const row = leased(index);
      return row !== undefined && !isOut(row) && row.times >= handOutsMax;
    }),
  };
}

function leaseOf(ctx: Ctx, { handOuts }: PullState, jobId: string, caseIndex: number): HandOutRow {
  const handedOutAt = ctx.clock.now();
  const before = handOuts.get(caseIndex) ?? { times: 0, replies: [], latencyMs: 0 };
  return {
    jobId,
    caseIndex,
    times: before.times + 1,
    handedOutAt,
    expiresAt: new Date(handedOutAt.getTime() + leaseMs),
    replies: before.replies,
    latencyMs: before.latencyMs,
  };
}

async function saveLeases({ db }: TransactionCtx, rows: readonly HandOutRow[]): Promise<void> {
  if (rows.length === 0) return;
  const { evalHandOuts } = db.tables;
  await db.query
    .insert(evalHandOuts)
    .values([...rows])
    .onConflictDoUpdate({
      target: [evalHandOuts.jobId, evalHandOuts.caseIndex],
      set: {
        times: sql`excluded.times`,
        handedOutAt: sql`excluded.handed_out_at`,
        expiresAt: sql`excluded.expires_at`,
      },
    });
}

/** The first fetch starts the clock of the run, which is no longer refundable from here on. */
async function begin(ctx: TransactionCtx, evalJobId: string): Promise<void> {
  const { evalJobs } = ctx.db.tables;
  await ctx.db.query
    .update(evalJobs)
    .set({ status: 'running', startedAt: ctx.clock.now() })
    .where(eq(evalJobs.id, evalJobId));
  ctx.db.afterCommit(() => ctx.publisher.signal(evalJobTopic(evalJobId)));
}

function showCase(source: CaseSource, { recorded }: PullState, row: HandOutRow): HandedOutCase {
  const planned = source.planned(recorded)[row.caseIndex];
  if (planned === undefined)
    throw new RangeError(`Case ${row.caseIndex} was handed out before it was planned.`);
  const { turns } = source.taskOf(planned);
  const turn = row.replies.length + 1;
  return {
    caseId: caseIdOf(row.jobId, row.caseIndex),
    index: row.caseIndex,
    messages: turns.slice(0, turn).flatMap((content, place) => {
      const reply = row.replies[place];
      const asked = { role: 'user', content } as const;
      return reply === undefined ? [asked] : [asked, { role: 'assistant', content: reply } as const];
    }),
    turn,
    turns: turns.length,
    expiresAt: row.expiresAt,
  };
}
