/** The limits of pull mode, in which an agent fetches the cases of its run and submits the replies itself. */
import { eq } from 'drizzle-orm';
import type { RunRow, LeaseRow } from '#db/schema/run-tables.ts';
import type { AgentCtx, Ctx } from '../../context.ts';
import { requirePullMode } from '../../runs/find-run.ts';
import { pullRunMs, unfetchedMs } from '../../runs/run-limits.ts';
import { findOwnEvalJob } from '../show-eval-job.ts';
import { suiteOfRun } from '../suite-of-run.ts';

/** The lease of a case. */
export const leaseMs = 10 * 60 * 1_000;
/** How often a turn of a case can be leased. */
export const handOutsMax = 2;

export interface PullState {
  readonly recorded: readonly { readonly index: number; readonly score: number }[];
  readonly handOuts: ReadonlyMap<number, LeaseRow>;
}

/** @throws DomainError eval_job_not_found, not_pull_mode */
export async function findOwnPullRun(ctx: AgentCtx, runId: string): Promise<RunRow> {
  return requirePullMode(await findOwnEvalJob(ctx, { runId }));
}

function isOverdue(ctx: Ctx, { startedAt, createdAt }: RunRow): boolean {
  const endsAt = startedAt === null ? createdAt.getTime() + unfetchedMs : startedAt.getTime() + pullRunMs;
  return ctx.clock.now().getTime() >= endsAt;
}

/** Whether its time is up, or its suite is gone. */
export function mustEnd(ctx: Ctx, job: RunRow): boolean {
  return isOverdue(ctx, job) || suiteOfRun(ctx, job) === null;
}

export async function readPullState({ db }: Ctx, runId: string): Promise<PullState> {
  const { runItems, runLeases } = db.tables;
  const recorded = await db.query
    .select({ index: runItems.itemIndex, share: runItems.share })
    .from(runItems)
    .where(eq(runItems.runId, runId));
  const handOuts = await db.query.select().from(runLeases).where(eq(runLeases.runId, runId));
  return {
    recorded: recorded.map(({ index, share }) => ({ index, score: share ?? 0 })),
    handOuts: new Map(handOuts.map((row) => [row.itemIndex, row])),
  };
}

const separator = '.';

/** Unique in the hub, so that an id never matches a case of another run. */
export function caseIdOf(runId: string, index: number): string {
  return `${runId}${separator}${index}`;
}

/** @returns null for an id that does not belong to this run */
export function indexOfCaseId(runId: string, caseId: string): number | null {
  const index = /^\d{1,3}$/.exec(caseId.slice(runId.length + 1))?.[0];
  return index !== undefined && caseId === caseIdOf(runId, Number(index)) ? Number(index) : null;
}
