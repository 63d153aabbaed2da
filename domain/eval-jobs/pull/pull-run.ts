/** The limits of pull mode, in which an agent fetches the cases of its run and submits the replies itself. */
import { asc, eq } from 'drizzle-orm';
import type { EvalJobRow, HandOutRow } from '#db/schema/eval-tables.ts';
import type { StoredCase } from '#evals/suite/stored-case.ts';
import { lockRows } from '#db/locks.ts';
import type { AgentCtx, Ctx, TransactionCtx } from '../../context.ts';
import { DomainError } from '../../errors.ts';
import { findOwnEvalJob } from '../show-eval-job.ts';
import { suiteOfRun } from '../suite-of-run.ts';

/** The lease of a case. */
export const leaseMs = 10 * 60 * 1_000;
/** How often a turn of a case can be leased. */
export const handOutsMax = 2;
/** From the first fetch to the end. */
export const pullRunMs = 60 * 60 * 1_000;
/** A run whose cases were never fetched is refunded after this time. */
export const unfetchedMs = 24 * 60 * 60 * 1_000;

export interface PullState {
  readonly recorded: readonly { readonly index: number; readonly score: number }[];
  readonly handOuts: ReadonlyMap<number, HandOutRow>;
}

/** @throws DomainError eval_job_not_found, not_pull_mode */
export async function findOwnPullRun(ctx: AgentCtx, evalJobId: string): Promise<EvalJobRow> {
  const job = await findOwnEvalJob(ctx, { evalJobId });
  if (job.mode === 'pull') return job;
  throw new DomainError('not_pull_mode', 'The hub sends the cases of this run to its target.', {
    hint: 'Redeem without `target_url` and `target` to fetch the cases yourself.',
  });
}

export function hasEnded({ status }: EvalJobRow): boolean {
  return status === 'completed' || status === 'failed';
}

function isOverdue(ctx: Ctx, { startedAt, createdAt }: EvalJobRow): boolean {
  const endsAt = startedAt === null ? createdAt.getTime() + unfetchedMs : startedAt.getTime() + pullRunMs;
  return ctx.clock.now().getTime() >= endsAt;
}

/** Whether its time is up, or its suite is gone. */
export function mustEnd(ctx: Ctx, job: EvalJobRow): boolean {
  return isOverdue(ctx, job) || suiteOfRun(ctx, job) === null;
}

export async function readPullState({ db }: Ctx, evalJobId: string): Promise<PullState> {
  const { evalCases, evalHandOuts } = db.tables;
  const recorded = await db.query
    .select({ index: evalCases.caseIndex, share: evalCases.share })
    .from(evalCases)
    .where(eq(evalCases.jobId, evalJobId));
  const handOuts = await db.query.select().from(evalHandOuts).where(eq(evalHandOuts.jobId, evalJobId));
  return {
    recorded: recorded.map(({ index, share }) => ({ index, score: share ?? 0 })),
    handOuts: new Map(handOuts.map((row) => [row.caseIndex, row])),
  };
}

/** Serialises all changes to a run. */
export async function lockRun({ db }: TransactionCtx, evalJobId: string): Promise<EvalJobRow> {
  const { evalJobs } = db.tables;
  const [job] = await lockRows(db, db.query.select().from(evalJobs).where(eq(evalJobs.id, evalJobId)));
  if (job === undefined) throw new Error(`Eval job ${evalJobId} was read before it was locked.`);
  return job;
}

export async function listStoredCases({ db }: Ctx, evalJobId: string): Promise<StoredCase[]> {
  const { evalCases } = db.tables;
  const rows = await db.query
    .select({ result: evalCases.result })
    .from(evalCases)
    .where(eq(evalCases.jobId, evalJobId))
    .orderBy(asc(evalCases.caseIndex));
  return rows.map(({ result }) => result);
}

const separator = '.';

/** Unique in the hub, so that an id never matches a case of another run. */
export function caseIdOf(evalJobId: string, index: number): string {
  return `${evalJobId}${separator}${index}`;
}

/** @returns null for an id that does not belong to this run */
export function indexOfCaseId(evalJobId: string, caseId: string): number | null {
  const index = /^\d{1,3}$/.exec(caseId.slice(evalJobId.length + 1))?.[0];
  return index !== undefined && caseId === caseIdOf(evalJobId, Number(index)) ? Number(index) : null;
}
