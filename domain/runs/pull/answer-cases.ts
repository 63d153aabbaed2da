import { and, eq, inArray } from 'drizzle-orm';
import type { LeaseRow, RunRow } from '#db/schema/run-tables.ts';
import type { StoredItem } from '#evals/stored-item.ts';
import { addTokenUsage, readTokenUsage, type TokenUsage } from '#evals/token-usage.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { claimantOf } from '../../agents/find-agent.ts';
import { type AgentCtx, type Ctx, type TransactionCtx, withTransaction } from '../../context.ts';
import { DomainError } from '../../errors.ts';
import { operation } from '../../operation.ts';
import type { ToolCall } from '../../targets/tool-calls.ts';
import { lockRun, type OwnRunKey } from '../find-run.ts';
import { hasEnded } from '../run-outcome.ts';
import type { Graders } from '../grading/graders.ts';
import { productOf } from '../products.ts';
import { runTopic } from '../run-limits.ts';
import { type ItemReply, type PlannedItem, type PlannedItems, storable } from '../run-plan.ts';
import { findOwnPullRun, handOutsMax, readRecorded, requirePlan, storePulledItems } from './pull-run.ts';

/** A reply, which has a text, calls or both; or why there is none. */
export interface SubmittedAnswer {
  readonly caseId: string;
  readonly text?: string | undefined;
  readonly toolCalls?: readonly ToolCall[] | undefined;
  readonly error?: string | undefined;
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
/** Of the words that say why there is no reply. */
export const errorCharactersMax = 500;

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
  const given = answers.map(readAnswer);
  const usages = answers.map(readUsage);
  const plan = await requirePlan(ctx, run);
  const indexes = answers.map(({ caseId }) => plan.indexOf(caseId));
  const state = await readAnswered(ctx, run, indexes);
  // A cancel since the run was read has closed every case.
  if (state.recorded.size > 0) refuseEnded(await findOwnPullRun(ctx, key));
  const planned = plan.planned(await readRecorded(ctx, run.id, plan));
  const read = readReplies(ctx, run, { indexes, state, planned }, given).map((reply, index) => ({
    ...reply,
    usage: addTokenUsage(reply.lease.usage, usages[index] ?? null),
  }));
  const replies = await Promise.all(
    read.map(async (reply) => {
      const { lease, item, latencyMs, usage, error } = reply;
      const call = { latencyMs, attempts: 1 + retriesOf(lease), usage };
      if (error !== null) {
        const stored = plan.inError(item, 'no_reply', call.attempts, usage);
        return { ...reply, result: { ...stored, error_message: storable(error) } };
      }
      const asked = { claimant: claimantOf(ctx.agent), item, replies: reply.replies, call };
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
    const indexes = replies.map(({ lease }) => lease.itemIndex);
    const now = await readAnswered(inner, run, indexes);
    for (const reply of replies) refuseChanged(now, run, reply);
    for (const reply of replies) if (reply.result === null) await openNextTurn(inner, reply);
    const ended = await storePulledItems(inner, locked, finished);
    inner.db.afterCommit(() => inner.publisher.signal(runTopic(run.id)));
    crashPoint('answers.written');
    const remaining = locked.progressTotal - locked.progressDone - finished.length;
    return { accepted: replies.length, remaining, ended };
  });
}

/** The cases that are answered. */
interface AnsweredState {
  readonly recorded: ReadonlySet<number>;
  readonly leases: ReadonlyMap<number, LeaseRow>;
}

async function readAnswered(
  { db }: Ctx,
  { id }: RunRow,
  indexes: readonly (number | null)[],
): Promise<AnsweredState> {
  const { runItems, runLeases } = db.tables;
  const known = indexes.filter((index) => index !== null);
  const leases = await db.query
    .select()
    .from(runLeases)
    .where(and(eq(runLeases.runId, id), inArray(runLeases.itemIndex, known)));
  // After the leases: an answer moves a case from there to here, so it is found in one of the two.
  const recorded = await db.query
    .select({ index: runItems.itemIndex })
    .from(runItems)
    .where(and(eq(runItems.runId, id), inArray(runItems.itemIndex, known)));
  return {
    recorded: new Set(recorded.map(({ index }) => index)),
    leases: new Map(leases.map((row) => [row.itemIndex, row])),
  };
}

interface ReadReply {
  readonly caseId: string;
  readonly lease: LeaseRow;
  readonly item: PlannedItem;
  /** To the turns so far. */
  readonly replies: readonly ItemReply[];
  /** Why there is no further reply. */
  readonly error: string | null;
  readonly latencyMs: number;
}

interface Reply extends ReadReply {
  readonly usage: TokenUsage | null;
  /** Null if the case has further turns. */
  readonly result: StoredItem | null;
}

interface OpenCases {
  /** Of the answers, in order. */
  readonly indexes: readonly (number | null)[];
  readonly state: AnsweredState;
  readonly planned: PlannedItems;
}

function readReplies(
  ctx: Ctx,
  run: RunRow,
  { indexes, state, planned }: OpenCases,
  answers: readonly GivenAnswer[],
): ReadReply[] {
  const taken = new Set<number>();
  return answers.map(({ caseId, reply, error }, place) => {
    const index = indexes[place] ?? null;
    if (index !== null && state.recorded.has(index)) throw caseAnswered(run, caseId);
    const lease = index === null ? undefined : state.leases.get(index);
    const item = index === null ? undefined : planned.at(index);
    if (index === null || lease === undefined || item === undefined) throw caseNotFound(run, caseId);
    if (taken.has(index) || lease.times === 0) throw caseAnswered(run, caseId);
    const now = ctx.clock.now();
    if (!lease.renewed && lease.times >= handOutsMax && lease.expiresAt <= now)
      throw caseAnswered(run, caseId);
    taken.add(index);
    const earlier = lease.replies.map((reply) => ({ text: reply, toolCalls: [] }));
    const latencyMs = lease.latencyMs + Math.max(0, now.getTime() - lease.handedOutAt.getTime());
    const replies = reply === null ? earlier : [...earlier, reply];
    return { caseId, lease, item, replies, error, latencyMs };
  });
}

type GivenAnswer = { readonly caseId: string } & (
  | { readonly reply: ItemReply; readonly error: null }
  | { readonly reply: null; readonly error: string }
);

/** An empty text is a reply only if it was sent: nothing else stands for one. */
function readAnswer({ caseId, text, toolCalls = [], error }: SubmittedAnswer, index: number): GivenAnswer {
  const hasReply = text !== undefined || toolCalls.length > 0;
  if (hasReply === (error !== undefined)) {
    const fault = hasReply ? 'both a reply and an `error`' : 'neither `text` nor `tool_calls` nor an `error`';
    throw new DomainError('invalid_body', `\`answers[${index}]\` has ${fault}.`, {
      hint: 'Send `text`, which may be empty, for a reply, or `error` if there is none: the case then counts as failed.',
    });
  }
  return error === undefined
    ? { caseId, reply: { text: text ?? '', toolCalls }, error: null }
    : { caseId, reply: null, error };
}

/** Another request has answered the case, or a turn of it, since it was read. */
function refuseChanged({ leases }: AnsweredState, run: RunRow, { caseId, lease }: Reply): void {
  // A case that is recorded has no lease.
  const now = leases.get(lease.itemIndex);
  if (now?.replies.length !== lease.replies.length) throw caseAnswered(run, caseId);
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
  const bytes = answers.reduce((sum, { text = '' }) => sum + Buffer.byteLength(text), 0);
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
