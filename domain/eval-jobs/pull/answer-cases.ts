import { and, eq } from 'drizzle-orm';
import type { RunRow, LeaseRow } from '#db/schema/run-tables.ts';
import type { StoredCase } from '#evals/suite/stored-case.ts';
import { addTokenUsage, readTokenUsage, type TokenUsage } from '#evals/suite/token-usage.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { type AgentCtx, type Ctx, type TransactionCtx, withTransaction } from '../../context.ts';
import { DomainError } from '../../errors.ts';
import { type CaseReplies, type CaseSource, caseSourceOf, gradedCase } from '../case-source.ts';
import { runTopic } from '../../runs/run-limits.ts';
import type { CaseGrade, Graders } from '../grading/graders.ts';
import { requireSuite } from '../suite-of-run.ts';
import { endPullRun } from './end-pull-run.ts';
import { hasEnded, lockRun } from '../../runs/find-run.ts';
import {
  findOwnPullRun,
  handOutsMax,
  indexOfCaseId,
  mustEnd,
  type PullState,
  readPullState,
} from './pull-run.ts';
import { storePulledCases } from './store-pulled-cases.ts';
import { operation } from '../../operation.ts';

export interface SubmittedAnswer {
  readonly caseId: string;
  readonly text: string;
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

export interface AnswersInput {
  readonly runId: string;
  readonly answers: readonly SubmittedAnswer[];
  readonly graders: Graders;
}

/** Answers that are ready to be stored. */
export interface GradedAnswers {
  readonly runId: string;
  readonly replies: readonly Reply[];
}

/**
 * Grades replies to leased cases. Call it outside any transaction, so that nobody waits for the graders.
 *
 * @throws DomainError eval_job_not_found, not_pull_mode, eval_job_ended, case_not_found, case_answered, body_too_large,
 *   invalid_body, grading_busy
 */
export async function gradeAnswers(
  ctx: AgentCtx,
  { runId, answers, graders }: AnswersInput,
): Promise<GradedAnswers> {
  const found = await findOwnPullRun(ctx, runId);
  const job = mustEnd(ctx, found) && !hasEnded(found) ? await endPullRun(ctx, runId) : found;
  refuseEnded(job);
  refuseTooLarge(answers);
  const usages = answers.map(readUsage);
  const source = caseSourceOf(requireSuite(ctx, job), job);
  const state = await readPullState(ctx, runId);
  // A cancel since the run was read has closed every case.
  if (answers.some((answer) => isRecorded(state, runId, answer))) {
    refuseEnded(await findOwnPullRun(ctx, runId));
  }
  const read = readReplies(ctx, runId, source, state, answers).map((reply, index) => ({
    ...reply,
    usage: addTokenUsage(reply.lease.usage, usages[index] ?? null),
  }));
  const replies = await Promise.all(
    read.map(async (reply) => ({ ...reply, ...(await graders.gradeCase(ctx.agent.id, source, reply)) })),
  );
  crashPoint('answers.graded');
  return { runId, replies };
}

/**
 * Stores graded replies, either all of them or none. A reply is final. A reply to an earlier turn opens the next turn of
 * its case.
 *
 * @throws DomainError eval_job_ended, case_answered
 */
export function answerCases(ctx: AgentCtx, { runId, replies }: GradedAnswers): Promise<Accepted> {
  const finished = replies.flatMap(finishedCase);
  return withTransaction(ctx, async (inner) => {
    const locked = await lockRun(inner, { runId });
    refuseEnded(locked);
    const now = await readPullState(inner, runId);
    for (const { lease } of replies) refuseChanged(now, lease);
    for (const reply of replies) if (reply.grade === null) await openNextTurn(inner, reply);
    const ended = await storePulledCases(inner, locked, finished);
    inner.db.afterCommit(() => inner.publisher.signal(runTopic(runId)));
    crashPoint('answers.written');
    const remaining = locked.progressTotal - locked.progressDone - finished.length;
    return { accepted: replies.length, remaining, ended };
  });
}

function isRecorded({ recorded }: PullState, runId: string, { caseId }: SubmittedAnswer): boolean {
  const answered = indexOfCaseId(runId, caseId);
  return recorded.some(({ index }) => index === answered);
}

interface ReadReply extends CaseReplies {
  readonly lease: LeaseRow;
  readonly latencyMs: number;
}

type Reply = ReadReply & CaseGrade & { readonly usage: TokenUsage | null };

function readReplies(
  ctx: Ctx,
  runId: string,
  source: CaseSource,
  state: PullState,
  answers: readonly SubmittedAnswer[],
): ReadReply[] {
  const planned = source.planned(state.recorded);
  const done = new Set(state.recorded.map(({ index }) => index));
  const taken = new Set<number>();
  return answers.map(({ caseId, text }) => {
    const index = indexOfCaseId(runId, caseId);
    const lease = index === null ? undefined : state.handOuts.get(index);
    const own = index === null ? undefined : planned[index];
    if (index === null || lease === undefined || own === undefined) throw caseNotFound(caseId);
    if (done.has(index) || taken.has(index) || lease.times === 0) throw caseAnswered(caseId);
    const now = ctx.clock.now();
    if (lease.times >= handOutsMax && lease.expiresAt <= now) throw caseAnswered(caseId);
    taken.add(index);
    const replies = [...lease.replies, text];
    const latencyMs = lease.latencyMs + Math.max(0, now.getTime() - lease.handedOutAt.getTime());
    return { lease, planned: own, replies, latencyMs };
  });
}

function finishedCase(reply: Reply): StoredCase[] {
  const { grade, latencyMs, lease, usage } = reply;
  if (grade === null) return [];
  return [gradedCase(reply, grade, { latencyMs, attempts: 1 + retriesOf(lease), usage })];
}

/** Another request has answered the case, or a turn of it, since it was read. */
function refuseChanged({ recorded, handOuts }: PullState, { itemIndex, replies, runId }: LeaseRow): void {
  const now = handOuts.get(itemIndex);
  if (recorded.some(({ index }) => index === itemIndex) || now?.replies.length !== replies.length) {
    throw caseAnswered(`${runId}.${itemIndex}`);
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
      replies,
      latencyMs: Math.round(latencyMs),
      usage,
    })
    .where(and(eq(runLeases.runId, lease.runId), eq(runLeases.itemIndex, lease.itemIndex)));
}

/** Of the turn that needed the most. */
function retriesOf({ times, retries }: LeaseRow): number {
  return Math.max(retries, times - 1);
}

function refuseEnded(job: RunRow): void {
  if (!hasEnded(job)) return;
  throw new DomainError('eval_job_ended', `The run has ${job.status === 'failed' ? 'failed' : 'ended'}.`, {
    hint: `${operation('getEvalJob')} shows its result.`,
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

function caseNotFound(caseId: string): DomainError {
  return new DomainError(
    'case_not_found',
    `No case ${JSON.stringify(caseId)} of this run has been fetched.`,
    {
      hint: `Use the \`case_id\` of a case from ${operation('getNextCases')}.`,
    },
  );
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
