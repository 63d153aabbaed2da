import { and, eq, sql } from 'drizzle-orm';
import { inList } from '#db/conditions.ts';
import { listParameter, prepareForTransactions } from '#db/prepared.ts';
import type { LastAnswer, LeaseRow, RunRow } from '#db/schema/run-tables.ts';
import type { StoredTrial } from '#evals/own-suite/stored-trial.ts';
import { unreadCallCode } from '#evals/stored-item.ts';
import { addTokenUsage, type TokenUsage } from '#evals/token-usage.ts';
import { converse, goOn, type Step, type WorldMessage } from '#evals/worlds/world.ts';
import { storable } from '#evals/safe-text.ts';
import { takeTurn } from '#runtime/loop-turns.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { claimantOf } from '#runtime/turns/turns.ts';
import { type AgentCtx, type Ctx, withTransaction } from '../../context.ts';
import { DomainError, invariant } from '../../errors.ts';
import { operation } from '../../operation.ts';
import { hasUnreadCall, unreadCall } from '../../targets/tool-calls.ts';
import { hasEnded, lockRun, type OwnRunKey } from '../find-run.ts';
import type { Graders } from '../grading/grade-reply.ts';
import type { Progress } from '../store-items.ts';
import type { PlannedTrial, RunPlan } from '../run-plan.ts';
import {
  findOwnPullRun,
  type GivenAnswer,
  handOutsMax,
  isSameMark,
  leaseMs,
  readAnswers,
  readRecorded,
  refuseEnded,
  requirePlan,
  storePulled,
  type SubmittedAnswer,
} from './pull-run.ts';

/** What comes of an answer. */
export type AnsweredCase = { readonly caseId: string; readonly messages: readonly WorldMessage[] } & (
  | { readonly done: true }
  | {
      readonly done: false;
      /** The next one. */
      readonly step: number;
      readonly expiresAt: Date;
    }
);

export interface Accepted {
  readonly accepted: number;
  /** In the order of the answers. */
  readonly cases: readonly AnsweredCase[];
  /** Cases that go on. */
  readonly remaining: number;
  readonly ended: boolean;
}

/** A worker that renews its leases has at least this long for the next step. */
const renewedMsMin = 30_000;

export interface AnswersInput extends OwnRunKey {
  readonly answers: readonly SubmittedAnswer[];
  readonly graders: Graders;
}

/** Answers that are ready to be stored. */
export interface GradedAnswers {
  readonly run: RunRow;
  readonly replies: readonly Reply[];
}

/**
 * Takes the next step of leased cases, and grades those that are done. Call it outside any transaction, so that nobody
 * waits for the graders.
 *
 * @throws DomainError run_not_found, not_pull_mode, run_ended for a run that has
 *   ended, case_not_found, case_answered, wrong_step, body_too_large, invalid_body, busy
 */
export async function gradeAnswers(
  ctx: AgentCtx,
  { answers, graders, ...key }: AnswersInput,
): Promise<GradedAnswers> {
  const seen = await findOwnPullRun(ctx, key);
  const given = readAnswers(answers);
  const plan = await requirePlan(ctx, seen);
  const indexes = answers.map(({ caseId }) => plan.indexOf(caseId));
  const state = await readAnswered(ctx, seen, indexes);
  // A cancel since the run was read has closed every case.
  const run = state.recorded.size > 0 ? await findOwnPullRun(ctx, key) : seen;
  const asked = { run, indexes, state, now: ctx.clock.now() };
  const places = placeAnswers(asked, given);
  const planned = plan.planned(await readRecorded(ctx, run.id, plan));
  const steps: PreparedStep[] = [];
  for (const [place, answer] of given.entries()) {
    const at = places[place];
    invariant(at !== undefined, 'Every answer has a place.');
    if (at.kind === 'repeats_last') {
      steps.push({ reply: { ...answer, itemIndex: at.itemIndex, taken: null }, grade: null });
      continue;
    }
    const { itemIndex, lease } = at;
    const item = planned.at(itemIndex);
    if (item === undefined) throw caseNotFound(answer.caseId);
    // A task takes up to 50 ms to make.
    await takeTurn();
    steps.push(await takeStep({ ctx, plan, graders }, { answer, item, lease }));
  }
  const replies = await Promise.all(
    steps.map(async ({ reply, grade }) => {
      if (grade === null || reply.taken === null) return reply;
      return { ...reply, taken: { ...reply.taken, result: await grade() } };
    }),
  );
  crashPoint('answers.graded');
  return { run, replies };
}

/**
 * Stores steps, either all of them or none. A step is final: a repeated one gets the same response.
 *
 * @throws DomainError run_ended, case_answered, wrong_step
 */
export function answerCases(ctx: AgentCtx, { run, replies }: GradedAnswers): Promise<Accepted> {
  return withTransaction(ctx, async (inner) => {
    const locked = await lockRun(inner, { runId: run.id });
    const indexes = replies.map(({ itemIndex }) => itemIndex);
    const state = await readAnswered(inner, run, indexes);
    // Another request may have taken the same steps since they were read.
    const places = placeAnswers({ run: locked, indexes, state, now: null }, replies);
    const cases: AnsweredCase[] = [];
    const progress: Progress[] = [];
    for (const [place, { caseId, itemIndex, mark, taken }] of replies.entries()) {
      const at = places[place];
      if (taken === null || taken.result !== null || at === undefined || at.kind === 'repeats_last') {
        const messages = state.recorded.get(itemIndex)?.messages ?? taken?.messages ?? [];
        cases.push({ caseId, done: true, messages });
        if (at?.kind !== 'next' || taken?.result == null) continue;
        progress.push({ result: taken.result, isBegun: true, lastAnswer: { mark, messages } });
      } else {
        const { messages, steps } = taken;
        const open = at.kind === 'next' ? nextLease(inner, at.lease, taken) : at.lease;
        if (at.kind === 'next') progress.push({ open });
        cases.push({ caseId, done: false, messages, step: steps.length, expiresAt: open.expiresAt });
      }
    }
    const ended = hasEnded(locked) || (await storePulled(inner, locked, progress));
    crashPoint('answers.written');
    const finished = progress.filter((one) => 'result' in one).length;
    const remaining = ended ? 0 : locked.progressTotal - locked.progressDone - finished;
    return { accepted: replies.length, cases, remaining, ended };
  });
}

/** The cases that are answered. */
interface AnsweredState {
  /** The last answer; null if the case ended without one. */
  readonly recorded: ReadonlyMap<number, LastAnswer | null>;
  readonly leases: ReadonlyMap<number, LeaseRow>;
}

async function readAnswered(
  { db }: Ctx,
  { id }: RunRow,
  indexes: readonly (number | null)[],
): Promise<AnsweredState> {
  const of = { runId: id, indexes: listParameter(indexes.flatMap((index) => index?.toString() ?? [])) };
  const leases = await selectLeases(db).execute(of);
  // After the leases: an answer moves a case from there to here, so it is found in one of the two.
  const recorded = await selectRecorded(db).execute(of);
  return {
    recorded: new Map(recorded.map(({ index, lastAnswer }) => [index, lastAnswer])),
    leases: new Map(leases.map((row) => [row.itemIndex, row])),
  };
}

const selectLeases = prepareForTransactions((db) => {
  const { runLeases } = db.tables;
  const isAsked = inList(db, runLeases.itemIndex, sql.placeholder('indexes'));
  return db.query
    .select()
    .from(runLeases)
    .where(and(eq(runLeases.runId, sql.placeholder('runId')), isAsked))
    .prepare('');
});

const selectRecorded = prepareForTransactions((db) => {
  const { runItems } = db.tables;
  const isAsked = inList(db, runItems.itemIndex, sql.placeholder('indexes'));
  return db.query
    .select({ index: runItems.itemIndex, lastAnswer: runItems.lastAnswer })
    .from(runItems)
    .where(and(eq(runItems.runId, sql.placeholder('runId')), isAsked))
    .prepare('');
});

/** Where an answer belongs. */
type Place = { readonly itemIndex: number } & (
  | { readonly kind: 'next' | 'repeats_open'; readonly lease: LeaseRow }
  /** The case is done. */
  | { readonly kind: 'repeats_last' }
);

interface PlacedIn {
  readonly run: RunRow;
  /** Of the answers, in order. */
  readonly indexes: readonly (number | null)[];
  readonly state: AnsweredState;
  /** Null for answers that were in time when they were read. */
  readonly now: Date | null;
}

function placeAnswers(
  { run, indexes, state, now }: PlacedIn,
  answers: readonly GivenAnswer[],
): readonly Place[] {
  const taken = new Set<number>();
  return answers.map(({ caseId, step, said, mark }, place) => {
    const itemIndex = indexes[place] ?? null;
    const lastAnswer = itemIndex === null ? undefined : state.recorded.get(itemIndex);
    if (itemIndex !== null && lastAnswer != null && isSameMark(lastAnswer.mark, mark))
      return { kind: 'repeats_last', itemIndex };
    refuseEnded(run);
    if (lastAnswer !== undefined) throw caseAnswered(caseId);
    const lease = itemIndex === null ? undefined : state.leases.get(itemIndex);
    if (itemIndex === null || lease === undefined) throw caseNotFound(caseId);
    if (taken.has(itemIndex)) throw caseAnswered(caseId);
    taken.add(itemIndex);
    const next = lease.steps.length;
    if (step === next - 1 && said !== null && Bun.deepEquals(lease.steps.at(-1), said, true))
      return { kind: 'repeats_open', itemIndex, lease };
    if (step !== undefined && step !== next) throw wrongStep(caseId, step, next);
    if (now !== null && !lease.renewed && lease.times >= handOutsMax && lease.expiresAt <= now)
      throw caseAnswered(caseId);
    return { kind: 'next', itemIndex, lease };
  });
}

interface Reply extends GivenAnswer {
  readonly itemIndex: number;
  /** Null if the case was done before. */
  readonly taken: TakenStep | null;
}

interface TakenStep {
  readonly steps: readonly Step[];
  /** The new ones. */
  readonly messages: readonly WorldMessage[];
  readonly latencyMs: number;
  readonly usage: TokenUsage | null;
  /** Null if the case goes on. */
  readonly result: StoredTrial | null;
}

interface Grading {
  readonly ctx: AgentCtx;
  readonly plan: RunPlan;
  readonly graders: Graders;
}

interface PreparedStep {
  readonly reply: Reply;
  /** Null if the case goes on, or needs no grading. */
  readonly grade: (() => Promise<StoredTrial>) | null;
}

const callForm = 'Send calls as {"tool_calls": [{"name": "…", "arguments": {…}}]}.';

async function takeStep(
  { ctx, plan, graders }: Grading,
  {
    answer,
    item,
    lease,
  }: { readonly answer: GivenAnswer; readonly item: PlannedTrial; readonly lease: LeaseRow },
): Promise<PreparedStep> {
  const { said } = answer;
  const isRepeated = answer.step !== undefined && answer.step < lease.steps.length;
  const earlier = isRepeated ? lease.steps.slice(0, -1) : lease.steps;
  const measuredMs = ctx.clock.now().getTime() - lease.handedOutAt.getTime();
  // Nobody makes a reply look faster than it came.
  const latencyMs = lease.latencyMs + Math.max(answer.latencyMs, measuredMs);
  const reported = said === null ? (answer.usage ?? undefined) : answer.usage;
  const usage = addTokenUsage(earlier.length === 0 ? undefined : lease.usage, reported) ?? null;
  const call = { latencyMs, attempts: 1 + retriesOf(lease), usage };
  // The step is known from now on, so that a race is noticed.
  const step = earlier.length;
  const reply = { ...answer, step, mark: `${step}${answer.mark.slice(answer.mark.indexOf(':'))}` };
  const { itemIndex } = lease;
  const taken = { latencyMs, usage };
  const scene = await plan.present(item);
  const isUnread = scene.world.tools.length > 0 && said?.calls.length === 0 && hasUnreadCall(said.text ?? '');
  if (said === null || isUnread) {
    const error = isUnread ? `${unreadCall} ${callForm}` : (answer.error ?? '');
    const unanswered = { attempts: call.attempts, usage, steps: earlier };
    const stored = await plan.inError(item, isUnread ? unreadCallCode : 'no_reply', unanswered);
    const result = { ...stored, error_message: storable(error) };
    return {
      reply: { ...reply, itemIndex, taken: { ...taken, steps: earlier, messages: [], result } },
      grade: null,
    };
  }
  const { steps, turn, done } = goOn(scene, converse(scene, earlier), said);
  const { messages } = turn;
  return {
    reply: { ...reply, itemIndex, taken: { ...taken, steps, messages, result: null } },
    grade:
      done && !isRepeated
        ? () => plan.grade({ claimant: claimantOf(ctx.agent), item, steps, call }, graders)
        : null,
  };
}

/** The same worker goes on with the case. */
function nextLease({ clock }: Ctx, row: LeaseRow, { steps, latencyMs, usage }: TakenStep): LeaseRow {
  const now = clock.now();
  const expiresAt = row.renewed
    ? new Date(Math.max(row.expiresAt.getTime(), now.getTime() + renewedMsMin))
    : new Date(now.getTime() + leaseMs);
  const taken = { steps, latencyMs: Math.round(latencyMs), usage };
  const lease = { times: 1, retries: retriesOf(row), handedOutAt: now, expiresAt };
  return { ...row, ...lease, ...taken };
}

/** Of the step that needed the most. */
function retriesOf({ times, retries }: LeaseRow): number {
  return Math.max(retries, times - 1);
}

function caseNotFound(caseId: string): DomainError {
  return new DomainError(
    'case_not_found',
    `No case ${JSON.stringify(caseId)} of this run has been fetched.`,
    {
      hint: `Use the \`case_id\` of a case from ${operation('getNextCases')}.`,
    },
  );
}

function wrongStep(caseId: string, step: number, next: number): DomainError {
  return new DomainError('wrong_step', `The next step of case ${caseId} is ${next}, not ${step}.`, {
    hint: `Send \`step\` ${next} with what you say next. A repetition of step ${next - 1} must be the same as before.`,
  });
}

function caseAnswered(caseId: string): DomainError {
  return new DomainError(
    'case_answered',
    `The case ${caseId} has already been answered, or its time has run out.`,
    {
      hint: `An answer is final. Fetch the next case: ${operation('getNextCases')}.`,
    },
  );
}
