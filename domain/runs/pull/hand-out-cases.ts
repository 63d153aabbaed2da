import { eq } from 'drizzle-orm';
import { clocksDifferMaxMs } from '#runtime/clock.ts';
import { takeTurn } from '#runtime/loop-turns.ts';
import type { LeaseRow, RunRow } from '#db/schema/run-tables.ts';
import type { StoredTrial } from '#evals/own-suite/stored-trial.ts';
import { type ConversationMessage, converse, type Step, type Tool } from '#evals/worlds/world.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { type AgentCtx, type Ctx, type TransactionCtx, withTransaction } from '../../context.ts';
import { hasEnded, lockRun, type OwnRunKey, runTopic } from '../find-run.ts';
import { saveLeases } from '../store-items.ts';
import { pullRunMsOf } from '../run-limits.ts';
import type { PlannedTrial, RunPlan } from '../run-plan.ts';
import {
  findOwnPullRun,
  handOutsMax,
  leasedMax,
  leaseMs,
  type PullState,
  readPullState,
  requirePlan,
  storePulled,
} from './pull-run.ts';

export interface HandedOutCase {
  readonly caseId: string;
  readonly index: number;
  readonly system: string | null;
  /** For the reply, as the suite says; null if it does not. */
  readonly timeoutSeconds: number | null;
  readonly tools: readonly Tool[];
  /** The conversation so far. */
  readonly messages: readonly ConversationMessage[];
  /** How often the agent has spoken in it. */
  readonly step: number;
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

export interface HandOutInput extends OwnRunKey {
  readonly limit: number;
  /** The part of the agent that asks. A lease belongs to one of them. */
  readonly worker?: string;
  /** The limit of all cases together, as JSON. One case is always returned. */
  readonly charactersMax?: number;
  /**
   * How long the leases last, for a worker that renews them while it works: each of its fetches with this does. Cases of a
   * worker that has vanished are handed out again after this time, as if they had not been fetched.
   */
  readonly renewableMs?: number;
}

export const mainWorker = 'main';

/** Of the cases of one response, if they have images. */
const imageCharactersMax = 8_000_000;

/**
 * Leases open cases of the agent's own run to a worker, at most `limit` together with those that the worker has and has
 * not answered, which are returned again. A limit of 0 only renews leases. Cases of the second stage open once every case of the first has been answered
 * or has expired twice.
 *
 * @throws DomainError run_not_found, not_pull_mode
 */
export async function handOutCases(
  ctx: AgentCtx,
  { limit, worker = mainWorker, charactersMax: asked = Infinity, renewableMs, ...key }: HandOutInput,
): Promise<HandedOut> {
  const run = await findOwnPullRun(ctx, key);
  if (hasEnded(run)) return { cases: [], remaining: 0, ended: true };
  const { runId } = key;
  const plan = await requirePlan(ctx, run);
  const charactersMax = plan.withImages === undefined ? asked : Math.min(asked, imageCharactersMax);
  const seen = await readPullState(ctx, runId, plan);
  const { free, expired, out } = sortOpen(ctx, plan, seen, limit);
  const held = out.filter((row) => row.worker === worker);
  const room = Math.max(0, limit - held.length);
  const fitting =
    charactersMax === Infinity
      ? room
      : await countFitting(plan, seen, { held, free: free.slice(0, room) }, charactersMax);
  // A request that changes nothing takes no lock.
  const renews = renewableMs !== undefined && held.length > 0;
  const leased =
    expired.length === 0 && !renews && (free.length === 0 || fitting === 0)
      ? { state: seen, out, rows: [], remaining: run.progressTotal - run.progressDone, ended: false }
      : await withTransaction(ctx, (inner) =>
          lease(inner, { runId, limit: held.length + fitting, worker, renewableMs }),
        );
  const { state, rows, remaining, ended } = leased;
  const own = leased.out.filter((row) => row.worker === worker);
  const cases: HandedOutCase[] = [];
  for (const row of [...own.slice(0, limit), ...rows]) {
    // A task takes up to 50 ms to make.
    await takeTurn();
    cases.push(await showCase(plan, state, row, !rows.includes(row)));
  }
  const shown = firstFitting(cases, charactersMax);
  return {
    cases: shown,
    remaining,
    ended,
    ...(shown.length < cases.length || fitting < Math.min(room, free.length) ? { shortened: true } : {}),
    ...(ended || rows.length > 0 ? {} : { noneNew: whyNoneNew(leased, own, limit) }),
  };
}

/** How many of the free cases fit beside those that the worker has; one, if it has none. */
async function countFitting(
  plan: RunPlan,
  state: PullState,
  { held, free }: { readonly held: readonly LeaseRow[]; readonly free: readonly number[] },
  charactersMax: number,
): Promise<number> {
  const fresh = free.map((index) => state.leases.get(index) ?? { itemIndex: index, steps: [] });
  const all: Pick<HandedOutCase, 'messages'>[] = [];
  for (const row of [...held, ...fresh])
    all.push(await conversationOf(plan, plannedAt(plan, state, row.itemIndex), row.steps));
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

const nothingLeft: Leased = {
  state: { recorded: [], leases: new Map(), nextIndex: 0 },
  out: [],
  rows: [],
  remaining: 0,
  ended: true,
};

interface LeaseInput {
  readonly runId: string;
  readonly limit: number;
  readonly worker: string;
  readonly renewableMs: number | undefined;
}

async function lease(
  ctx: TransactionCtx,
  { runId, limit, worker, renewableMs }: LeaseInput,
): Promise<Leased> {
  const run = await lockRun(ctx, { runId });
  if (hasEnded(run)) return nothingLeft;
  const plan = await requirePlan(ctx, run);
  const before = await readPullState(ctx, runId, plan);
  const lost: StoredTrial[] = [];
  for (const index of sortOpen(ctx, plan, before, limit).expired) {
    const unanswered = { attempts: handOutsMax, steps: before.leases.get(index)?.steps ?? [] };
    lost.push(await plan.inError(plannedAt(plan, before, index), 'not_answered', unanswered));
  }
  const ended = lost.map((result) => ({ result, isBegun: true }));
  if (await storePulled(ctx, run, ended)) return nothingLeft;
  // The last case of the first stage opens the second.
  const leases = new Map(before.leases);
  for (const { index } of lost) leases.delete(index);
  const state = { ...before, leases, recorded: [...before.recorded, ...lost] };
  const { free, out: found } = sortOpen(ctx, plan, state, limit);
  const renewed = { renewed: true, expiresAt: new Date(ctx.clock.now().getTime() + (renewableMs ?? 0)) };
  const out = found.map((row) =>
    renewableMs !== undefined && row.worker === worker ? { ...row, ...renewed } : row,
  );
  const own = out.filter((row) => row.worker === worker);
  const room = Math.max(0, limit - own.length);
  const rows = free.slice(0, room).map((index) => leaseOf(ctx, state, { runId, index, worker, renewableMs }));
  await saveLeases(ctx, renewableMs === undefined ? rows : [...own, ...rows]);
  if (run.status === 'queued' && rows.length > 0) await begin(ctx, run);
  crashPoint('cases.handing-out');
  const remaining = run.progressTotal - run.progressDone - lost.length;
  return { state, out, rows, remaining, ended: false };
}

/** Naming the workers helps an agent that has forgotten under which names it fetched. */
const namedWorkersMax = 8;

function whyNoneNew({ out, state }: Leased, own: readonly LeaseRow[], limit: number): NoNewCases {
  const others = [...new Set(out.filter((row) => !own.includes(row)).map(({ worker }) => worker))].toSorted();
  const named = others.slice(0, namedWorkersMax).join(', ') + (others.length > namedWorkersMax ? ', …' : '');
  const held = `${own.length} ${own.length === 1 ? 'case' : 'cases'} of this worker`;
  const reason =
    own.length >= limit
      ? `The limit is ${limit}, and ${held} wait for an answer. Answer first, or raise the limit.`
      : own.length > 0
        ? `${held} wait for an answer. Answer first.`
        : state.leases.size >= leasedMax
          ? `Of one run, at most ${leasedMax} cases are leased at a time. The next answer, or the end of a lease, may free one.`
          : `Every open case is leased to another worker of this agent: ${named}. The next answer, or the end of a lease, may free one.`;
  return { leased: out.length, nextAt: out[0]?.expiresAt ?? null, reason };
}

/**
 * The indexes that can be leased now, at most `limit` of them for the first time; those whose last lease has expired; and
 * the leases that are open.
 */
function sortOpen(ctx: Ctx, plan: RunPlan, { recorded, leases, nextIndex }: PullState, limit: number) {
  const now = ctx.clock.now();
  const rows = [...leases.values()];
  // A lease from the time after now was given while the clock was ahead.
  const latest = new Date(now.getTime() + clocksDifferMaxMs);
  const isOut = (row: LeaseRow) => row.times > 0 && row.expiresAt > now && row.handedOutAt < latest;
  const isLost = (row: LeaseRow) => !isOut(row) && !row.renewed && row.times >= handOutsMax;
  const fresh = Math.min(limit, leasedMax - rows.length, plan.planned(recorded).length - nextIndex);
  return {
    out: rows
      .filter(isOut)
      .toSorted((a, b) => a.expiresAt.getTime() - b.expiresAt.getTime() || a.itemIndex - b.itemIndex),
    free: [
      ...rows.filter((row) => !isOut(row) && !isLost(row)).map(({ itemIndex }) => itemIndex),
      ...Array.from({ length: Math.max(0, fresh) }, (_, place) => nextIndex + place),
    ],
    expired: rows.filter(isLost).map(({ itemIndex }) => itemIndex),
  };
}

function leaseOf(
  ctx: Ctx,
  { leases }: PullState,
  { runId, index, worker, renewableMs }: Omit<LeaseInput, 'limit'> & { readonly index: number },
): LeaseRow {
  const handedOutAt = ctx.clock.now();
  const before = leases.get(index) ?? { ...unbegun, runId, itemIndex: index };
  return {
    ...before,
    worker,
    // A worker that has vanished did not fail to answer.
    times: before.renewed && before.times > 0 ? before.times : before.times + 1,
    handedOutAt,
    expiresAt: new Date(handedOutAt.getTime() + (renewableMs ?? leaseMs)),
    renewed: renewableMs !== undefined,
  };
}

const unbegun = {
  times: 0,
  renewed: false,
  retries: 0,
  steps: [],
  latencyMs: 0,
  usage: null,
  contextId: null,
} as const;

/** The first fetch starts the clock of the run, which is no longer refundable from here on. */
async function begin(ctx: TransactionCtx, run: RunRow): Promise<void> {
  const { runs } = ctx.db.tables;
  const now = ctx.clock.now();
  const dueAt = run.dueAt === null ? null : new Date(now.getTime() + pullRunMsOf(run));
  await ctx.db.query
    .update(runs)
    .set({ status: 'running', startedAt: now, dueAt })
    .where(eq(runs.id, run.id));
  ctx.db.afterCommit(() => ctx.publisher.signal(runTopic(run.id)));
}

async function showCase(
  plan: RunPlan,
  state: PullState,
  row: LeaseRow,
  again: boolean,
): Promise<HandedOutCase> {
  const item = plannedAt(plan, state, row.itemIndex);
  return {
    caseId: plan.idOf(item),
    index: row.itemIndex,
    ...(await conversationOf(plan, item, row.steps)),
    expiresAt: row.expiresAt,
    again,
  };
}

async function conversationOf(
  plan: RunPlan,
  item: PlannedTrial,
  steps: readonly Step[],
): Promise<Pick<HandedOutCase, 'system' | 'timeoutSeconds' | 'tools' | 'messages' | 'step'>> {
  const scene = await plan.present(item);
  const said = converse(scene, steps).messages;
  const messages = (await plan.withImages?.(said)) ?? said;
  const { system, timeoutSeconds = null, world } = scene;
  return { system, timeoutSeconds, tools: world.tools, messages, step: steps.length };
}

function plannedAt(plan: RunPlan, { recorded }: PullState, index: number): PlannedTrial {
  const planned = plan.planned(recorded).at(index);
  if (planned === undefined) throw new RangeError(`Case ${index} was handed out before it was planned.`);
  return planned;
}
