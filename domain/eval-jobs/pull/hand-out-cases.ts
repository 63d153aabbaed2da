import type { LeaseRow } from '#db/schema/run-tables.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { eq, sql } from 'drizzle-orm';
import { type AgentCtx, type Ctx, type TransactionCtx, withTransaction } from '../../context.ts';
import { caseInError, type CaseSource, caseSourceOf } from '../case-source.ts';
import { runTopic } from '../../runs/run-limits.ts';
import { requireSuite } from '../suite-of-run.ts';
import { endPullRun } from './end-pull-run.ts';
import { hasEnded, lockRun } from '../../runs/find-run.ts';
import {
  caseIdOf,
  findOwnPullRun,
  handOutsMax,
  mustEnd,
  leaseMs,
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
  /** Whether the worker had the case already. Its deadline stays that of the first time. */
  readonly again: boolean;
}

/** Why there is no new case now. */
export interface NoNewCases {
  /** Open leases of all workers, including the cases that are returned again. */
  readonly leased: number;
  /** When the earliest of them ends; null if there is none. */
  readonly nextAt: Date | null;
  readonly reason: string;
}

export interface HandedOut {
  readonly cases: readonly HandedOutCase[];
  /** Cases without an answer so far. */
  readonly remaining: number;
  readonly ended: boolean;
  /** Absent if there is a new case, or if the run has ended. */
  readonly noneNew?: NoNewCases;
  /** Present if `charactersMax` reduced the number of cases. */
  readonly shortened?: true;
}

export interface HandOutInput {
  readonly runId: string;
  readonly limit: number;
  /** The part of the agent that asks. A lease belongs to one of them. */
  readonly worker?: string;
  /** The limit of all cases together, as JSON. One case is always returned. */
  readonly charactersMax?: number;
}

export const mainWorker = 'main';

/**
 * Leases open cases of the agent's own run to a worker, at most `limit` together with those that the worker has and has
 * not answered, which are returned again. Cases of the second stage open once every case of the first has been answered
 * or has expired twice.
 *
 * @throws DomainError eval_job_not_found, not_pull_mode
 */
export async function handOutCases(
  ctx: AgentCtx,
  { runId, limit, worker = mainWorker, charactersMax = Infinity }: HandOutInput,
): Promise<HandedOut> {
  const found = await findOwnPullRun(ctx, runId);
  const job = mustEnd(ctx, found) && !hasEnded(found) ? await endPullRun(ctx, runId) : found;
  if (hasEnded(job)) return { cases: [], remaining: 0, ended: true };
  const source = caseSourceOf(requireSuite(ctx, job), job);
  const seen = await readPullState(ctx, runId);
  const { free, expired, out } = sortOpen(ctx, source, seen);
  const held = out.filter((row) => row.worker === worker);
  const room = Math.max(0, limit - held.length);
  const fitting =
    charactersMax === Infinity
      ? room
      : countFitting(source, seen, { held, free: free.slice(0, room) }, charactersMax);
  // A request that changes nothing takes no lock.
  const leased =
    expired.length === 0 && (free.length === 0 || fitting === 0)
      ? { state: seen, out, rows: [], remaining: job.progressTotal - job.progressDone, ended: false }
      : await withTransaction(ctx, (inner) =>
          lease(inner, source, { runId, limit: held.length + fitting, worker }),
        );
  const { state, rows, remaining, ended } = leased;
  const own = leased.out.filter((row) => row.worker === worker);
  const cases = [
    ...own.slice(0, limit).map((row) => showCase(source, state, row, true)),
    ...rows.map((row) => showCase(source, state, row, false)),
  ];
  const shown = firstFitting(cases, charactersMax);
  return {
    cases: shown,
    remaining,
    ended,
    ...(shown.length < cases.length || fitting < Math.min(room, free.length) ? { shortened: true } : {}),
    ...(ended || rows.length > 0 ? {} : { noneNew: whyNoneNew(leased.out, own, limit) }),
  };
}

/** How many of the free cases fit beside those that the worker has; one, if it has none. */
function countFitting(
  source: CaseSource,
  state: PullState,
  { held, free }: { readonly held: readonly LeaseRow[]; readonly free: readonly number[] },
  charactersMax: number,
): number {
  const fresh = free.map((index) => state.handOuts.get(index) ?? { itemIndex: index, replies: [] });
  const all = [...held, ...fresh].map((row) => conversationOf(source, state, row));
  return Math.max(0, firstFitting(all, charactersMax).length - held.length);
}

/** The fields around the texts of a case. */
const caseOverhead = 300;

function firstFitting<T extends Pick<HandedOutCase, 'messages'>>(
  cases: readonly T[],
  charactersMax: number,
): readonly T[] {
  if (charactersMax === Infinity) return cases;
  let left = charactersMax;
  return cases.filter(({ messages }, place) => {
    left -= JSON.stringify(messages).length + caseOverhead;
    return place === 0 || left >= 0;
  });
}

interface Leased {
  readonly state: PullState;
  /** The leases that are open, in the order in which they end. */
  readonly out: readonly LeaseRow[];
  /** New leases. */
  readonly rows: readonly LeaseRow[];
  readonly remaining: number;
  readonly ended: boolean;
}

async function lease(
  ctx: TransactionCtx,
  source: CaseSource,
  { runId, limit, worker }: Required<Omit<HandOutInput, 'charactersMax'>>,
): Promise<Leased> {
  const job = await lockRun(ctx, { runId });
  const before = await readPullState(ctx, runId);
  if (hasEnded(job)) return { state: before, out: [], rows: [], remaining: 0, ended: true };
  const lost = sortOpen(ctx, source, before).expired.map((index) => {
    const planned = source.planned(before.recorded)[index];
    if (planned === undefined) throw new RangeError(`Case ${index} was handed out before it was planned.`);
    return caseInError(planned, 'not_answered', handOutsMax);
  });
  if (await storePulledCases(ctx, job, lost)) {
    return { state: before, out: [], rows: [], remaining: 0, ended: true };
  }
  // The last case of the first stage opens the second.
  const state = { ...before, recorded: [...before.recorded, ...lost] };
  const { free, out } = sortOpen(ctx, source, state);
  const room = Math.max(0, limit - out.filter((row) => row.worker === worker).length);
  const rows = free.slice(0, room).map((index) => leaseOf(ctx, state, { runId, index, worker }));
  await saveLeases(ctx, rows);
  if (job.status === 'queued' && rows.length > 0) await begin(ctx, runId);
  crashPoint('cases.handing-out');
  const remaining = job.progressTotal - job.progressDone - lost.length;
  return { state, out, rows, remaining, ended: false };
}

/** Naming the workers helps an agent that has forgotten under which names it fetched. */
const namedWorkersMax = 8;

function whyNoneNew(out: readonly LeaseRow[], own: readonly LeaseRow[], limit: number): NoNewCases {
  const others = [...new Set(out.filter((row) => !own.includes(row)).map(({ worker }) => worker))].toSorted();
  const named = others.slice(0, namedWorkersMax).join(', ') + (others.length > namedWorkersMax ? ', …' : '');
  const held = `${own.length} ${own.length === 1 ? 'case' : 'cases'} of this worker`;
  const reason =
    own.length >= limit
      ? `The limit is ${limit}, and ${held} wait for an answer. Answer first, or raise the limit.`
      : own.length > 0
        ? `${held} wait for an answer. Answer first.`
        : `Every open case is leased to another worker of this agent: ${named}. The next answer, or the end of a lease, may free one.`;
  return { leased: out.length, nextAt: out[0]?.expiresAt ?? null, reason };
}

/** The indexes that can be leased now, those whose last lease has expired, and the leases that are open. */
function sortOpen(ctx: Ctx, source: CaseSource, state: PullState) {
  const now = ctx.clock.now();
  const open = source.open(state.recorded).map(({ index }) => index);
  const leased = (index: number) => state.handOuts.get(index);
  const isOut = (row: LeaseRow) => row.times > 0 && row.expiresAt > now;
  return {
    out: open
      .flatMap((index) => leased(index) ?? [])
      .filter(isOut)
      .toSorted((a, b) => a.expiresAt.getTime() - b.expiresAt.getTime() || a.itemIndex - b.itemIndex),
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

function leaseOf(
  ctx: Ctx,
  { handOuts }: PullState,
  { runId, index, worker }: { readonly runId: string; readonly index: number; readonly worker: string },
): LeaseRow {
  const handedOutAt = ctx.clock.now();
  const before = handOuts.get(index) ?? {
    times: 0,
    retries: 0,
    replies: [],
    latencyMs: 0,
    usage: null,
  };
  return {
    runId,
    itemIndex: index,
    worker,
    times: before.times + 1,
    retries: before.retries,
    handedOutAt,
    expiresAt: new Date(handedOutAt.getTime() + leaseMs),
    replies: before.replies,
    latencyMs: before.latencyMs,
    usage: before.usage,
  };
}

async function saveLeases({ db }: TransactionCtx, rows: readonly LeaseRow[]): Promise<void> {
  if (rows.length === 0) return;
  const { runLeases } = db.tables;
  await db.query
    .insert(runLeases)
    .values([...rows])
    .onConflictDoUpdate({
      target: [runLeases.runId, runLeases.itemIndex],
      set: {
        worker: sql`excluded.worker`,
        times: sql`excluded.times`,
        handedOutAt: sql`excluded.handed_out_at`,
        expiresAt: sql`excluded.expires_at`,
      },
    });
}

/** The first fetch starts the clock of the run, which is no longer refundable from here on. */
async function begin(ctx: TransactionCtx, runId: string): Promise<void> {
  const { runs } = ctx.db.tables;
  await ctx.db.query
    .update(runs)
    .set({ status: 'running', startedAt: ctx.clock.now() })
    .where(eq(runs.id, runId));
  ctx.db.afterCommit(() => ctx.publisher.signal(runTopic(runId)));
}

function showCase(source: CaseSource, state: PullState, row: LeaseRow, again: boolean): HandedOutCase {
  return {
    caseId: caseIdOf(row.runId, row.itemIndex),
    index: row.itemIndex,
    ...conversationOf(source, state, row),
    expiresAt: row.expiresAt,
    again,
  };
}

function conversationOf(
  source: CaseSource,
  { recorded }: PullState,
  { itemIndex, replies }: Pick<LeaseRow, 'itemIndex' | 'replies'>,
): Pick<HandedOutCase, 'messages' | 'turn' | 'turns'> {
  const planned = source.planned(recorded)[itemIndex];
  if (planned === undefined) throw new RangeError(`Case ${itemIndex} was handed out before it was planned.`);
  const { turns } = source.taskOf(planned);
  const turn = replies.length + 1;
  return {
    messages: turns.slice(0, turn).flatMap((content, place) => {
      const reply = replies[place];
      const asked = { role: 'user', content } as const;
      return reply === undefined ? [asked] : [asked, { role: 'assistant', content: reply } as const];
    }),
    turn,
    turns: turns.length,
  };
}
