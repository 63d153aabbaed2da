import { and, eq } from 'drizzle-orm';
import type { LeaseRow, RunRow } from '#db/schema/run-tables.ts';
import type { StoredItem } from '#evals/stored-item.ts';
import { addTokenUsage, readTokenUsage, type TokenUsage } from '#evals/suite/token-usage.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { type AgentCtx, type Ctx, type TransactionCtx, withTransaction } from '../../context.ts';
import { DomainError } from '../../errors.ts';
import { operation } from '../../operation.ts';
import type { ToolCall } from '../../targets/tool-calls.ts';
import { hasEnded, lockRun, type OwnRunKey } from '../find-run.ts';
import type { Graders } from '../grading/graders.ts';
import { productOf } from '../products.ts';
import { runTopic } from '../run-limits.ts';
import type { ItemReply, PlannedItem, RunPlan } from '../run-plan.ts';
import {
  findOwnPullRun,
  handOutsMax,
  type PullState,
  readPullState,
  requirePlan,
  storePulledItems,
} from './pull-run.ts';

export interface SubmittedAnswer {
  readonly caseId: string;
  readonly text: string;
  readonly toolCalls?: readonly ToolCall[];
  /** The tokens that the agent used, as it reports them. */
  readonly usage?: object | undefined;
}

export interface Accepted {
  readonly accepted: number;
  /** Cases without an answer so far. */
  readonly remaining: number;
  readonly ended: boolean;
}

/** The limit for all texts of a submission together, in UTF-8. */
export const answerBytesMax = 256 * 1024;

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
 * Grades replies to leased cases. Call it outside any transaction, so that nobody waits for the graders.
 *
 * @throws DomainError run_not_found, or the code of the product; not_pull_mode, the product's code for a run that has
 *   ended, case_not_found, case_answered, body_too_large, invalid_body, grading_busy
 */
export async function gradeAnswers(
  ctx: AgentCtx,
  { answers, graders, ...key }: AnswersInput,
): Promise<GradedAnswers> {
  const run = await findOwnPullRun(ctx, key);
  refuseEnded(run);
  refuseTooLarge(answers);
  const usages = answers.map(readUsage);
  const plan = await requirePlan(ctx, run);
  const state = await readPullState(ctx, run.id);
  // A cancel since the run was read has closed every case.
  if (answers.some((answer) => isRecorded(state, plan, answer))) refuseEnded(await findOwnPullRun(ctx, key));
  const read = readReplies(ctx, run, plan, state, answers).map((reply, index) => ({
    ...reply,
    usage: addTokenUsage(reply.lease.usage, usages[index] ?? null),
  }));
  const replies = await Promise.all(
    read.map(async (reply) => {
      const { lease, item, latencyMs, usage } = reply;
      const call = { latencyMs, attempts: 1 + retriesOf(lease), usage };
      const asked = { agentId: ctx.agent.id, item, replies: reply.replies, call };
      return { ...reply, result: await plan.grade(asked, graders) };
    }),
  );
  crashPoint('answers.graded');
  return { run, replies };
}

/**
 * Stores graded replies, either all of them or none. A reply is final. A reply to an earlier turn opens the next turn of
 * its case.
 *
 * @throws DomainError the product's code for a run that has ended, case_answered
 */
export function answerCases(ctx: AgentCtx, { run, replies }: GradedAnswers): Promise<Accepted> {
  const finished = replies.flatMap(({ result }) => (result === null ? [] : [result]));
  return withTransaction(ctx, async (inner) => {
    const locked = await lockRun(inner, { runId: run.id });
    refuseEnded(locked);
    const now = await readPullState(inner, run.id);
    for (const reply of replies) refuseChanged(now, run, reply);
    for (const reply of replies) if (reply.result === null) await openNextTurn(inner, reply);
    const ended = await storePulledItems(inner, locked, finished);
    inner.db.afterCommit(() => inner.publisher.signal(runTopic(run.id)));
    crashPoint('answers.written');
    const remaining = locked.progressTotal - locked.progressDone - finished.length;
    return { accepted: replies.length, remaining, ended };
  });
}

function isRecorded({ recorded }: PullState, plan: RunPlan, { caseId }: SubmittedAnswer): boolean {
  const answered = plan.indexOf(caseId);
  return recorded.some(({ index }) => index === answered);
}

interface ReadReply {
  readonly caseId: string;
  readonly lease: LeaseRow;
  readonly item: PlannedItem;
  /** To the turns so far. */
  readonly replies: readonly ItemReply[];
  readonly latencyMs: number;
}

interface Reply extends ReadReply {
  readonly usage: TokenUsage | null;
  /** Null if the case has further turns. */
  readonly result: StoredItem | null;
}

function readReplies(
  ctx: Ctx,
  run: RunRow,
  plan: RunPlan,
  state: PullState,
  answers: readonly SubmittedAnswer[],
): ReadReply[] {
  const planned = plan.planned(state.recorded);
  const done = new Set(state.recorded.map(({ index }) => index));
  const taken = new Set<number>();
  return answers.map(({ caseId, text, toolCalls = [] }) => {
    const index = plan.indexOf(caseId);
    const lease = index === null ? undefined : state.handOuts.get(index);
    const item = index === null ? undefined : planned[index];
    if (index === null || lease === undefined || item === undefined) throw caseNotFound(run, caseId);
    if (done.has(index) || taken.has(index) || lease.times === 0) throw caseAnswered(run, caseId);
    const now = ctx.clock.now();
    if (lease.times >= handOutsMax && lease.expiresAt <= now) throw caseAnswered(run, caseId);
    taken.add(index);
    const earlier = lease.replies.map((reply) => ({ text: reply, toolCalls: [] }));
    const latencyMs = lease.latencyMs + Math.max(0, now.getTime() - lease.handedOutAt.getTime());
    return { caseId, lease, item, replies: [...earlier, { text, toolCalls }], latencyMs };
  });
}

/** Another request has answered the case, or a turn of it, since it was read. */
function refuseChanged({ recorded, handOuts }: PullState, run: RunRow, { caseId, lease }: Reply): void {
  const { itemIndex, replies } = lease;
  const now = handOuts.get(itemIndex);
  if (recorded.some(({ index }) => index === itemIndex) || now?.replies.length !== replies.length) {
    throw caseAnswered(run, caseId);
  }
}

/** The next turn has not been fetched yet. */
async function openNextTurn(
  { db, clock }: TransactionCtx,
  { lease, replies, latencyMs, usage }: Reply,
): Promise<void> {
  const { runLeases } = db.tables;
  await db.query
    .update(runLeases)
    .set({
      times: 0,
      retries: retriesOf(lease),
      expiresAt: clock.now(),
      replies: replies.map(({ text }) => text),
      latencyMs: Math.round(latencyMs),
      usage,
    })
    .where(and(eq(runLeases.runId, lease.runId), eq(runLeases.itemIndex, lease.itemIndex)));
}

/** Of the turn that needed the most. */
function retriesOf({ times, retries }: LeaseRow): number {
  return Math.max(retries, times - 1);
}

function refuseEnded(run: RunRow): void {
  if (!hasEnded(run)) return;
  const { alreadyEnded, show } = productOf(run).describe;
  throw new DomainError(alreadyEnded, `The run has ${run.status === 'failed' ? 'failed' : 'ended'}.`, {
    hint: `${operation(show)} shows its result.`,
  });
}

function readUsage({ usage }: SubmittedAnswer, index: number): TokenUsage | null {
  if (usage === undefined) return null;
  const read = readTokenUsage(usage);
  if (read !== null) return read;
  throw new DomainError(
    'invalid_body',
    `\`answers[${index}].usage\` must have two whole numbers from 0 to 1,000,000,000: \`input_tokens\` and \`output_tokens\`.`,
    {
      hint: "`prompt_tokens` and `completion_tokens` of OpenAI's APIs are read too. Leave `usage` out if you do not know it.",
    },
  );
}

function refuseTooLarge(answers: readonly SubmittedAnswer[]): void {
  const bytes = answers.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  if (bytes <= answerBytesMax) return;
  throw new DomainError('body_too_large', `The texts have ${bytes} bytes. The limit is ${answerBytesMax}.`, {
    hint: 'Submit fewer or shorter answers at a time.',
  });
}

function caseNotFound(run: RunRow, caseId: string): DomainError {
  return new DomainError(
    'case_not_found',
    `No case ${JSON.stringify(caseId)} of this run has been fetched.`,
    {
      hint: `Use the \`case_id\` of a case from ${operation(productOf(run).describe.next)}.`,
    },
  );
}

function caseAnswered(run: RunRow, caseId: string): DomainError {
  return new DomainError(
    'case_answered',
    `The case ${caseId} has already been answered, or its time has run out.`,
    {
      hint: `An answer is final. Fetch the next case: ${operation(productOf(run).describe.next)}.`,
    },
  );
}
