/**
 * What the requests of pull mode share: the state of the run, which ends when its time is up, its limits, and the answers of
 * the agent, which fetches the cases of its run and submits the replies itself.
 */
import { asc, eq, max, sql } from 'drizzle-orm';
import { prepareForTransactions } from '#db/prepared.ts';
import type { LeaseRow, RunRow } from '#db/schema/run-tables.ts';
import { storable } from '#evals/safe-text.ts';
import { readTokenUsage, type TokenUsage } from '#evals/token-usage.ts';
import type { Step } from '#evals/worlds/world.ts';
import { type AgentCtx, type Ctx, type TransactionCtx, withTransaction } from '../../context.ts';
import { DomainError, invariant } from '../../errors.ts';
import { operation } from '../../operation.ts';
import { type GivenCall, readCalls } from '../../targets/tool-calls.ts';
import { completeEarly, scoreOrRefund } from '../cancel-run.ts';
import { findOwnRun, hasEnded, lockRun, type OwnRunKey, requirePullMode } from '../find-run.ts';
import { productOf } from '../products.ts';
import { failedOutcome, type RunOutcome } from '../run-limits.ts';
import type { RecordedItem, RunPlan } from '../run-plan.ts';
import { settleLockedRun, settleRun } from '../settle-run.ts';
import { listItemsInParts, type Progress, storeProgress } from '../store-items.ts';

/** The lease of a case, unless its worker renews it. */
export const leaseMs = 10 * 60 * 1_000;
/** How often a step of a case can be leased. */
export const handOutsMax = 2;

/** A worker holds at most a few cases, so this is no limit for a hundred of them. It bounds what a request reads. */
export const leasedMax = 1_000;

/** What a request needs to know of a run, however many of its cases are recorded. */
export interface PullState {
  /** Empty if the plan is not adaptive. */
  readonly recorded: readonly RecordedItem[];
  /** By the index of their items, in order. An item has one from its first lease until it is recorded. */
  readonly leases: ReadonlyMap<number, LeaseRow>;
  /** Items are leased in order: all before this one are leased or recorded, and no other is. */
  readonly nextIndex: number;
}

/**
 * The acting agent's own run, which ends here if it must.
 *
 * @throws DomainError run_not_found, not_pull_mode
 */
export async function findOwnPullRun(ctx: AgentCtx, key: OwnRunKey): Promise<RunRow> {
  const run = requirePullMode(await findOwnRun(ctx, key));
  return !hasEnded(run) && (await mustEnd(ctx, run)) ? endOverdueRun(ctx, run.id) : run;
}

/** Whether the time of an open run is up, or what it asks is gone. In push mode, a worker or the sweeper ends the run. */
async function mustEnd(ctx: Ctx, run: RunRow): Promise<boolean> {
  if (run.dueAt !== null && run.dueAt <= ctx.clock.now()) return true;
  return (await productOf(run).cases.plan(ctx, run)) === null;
}

/**
 * Ends a run that must end; see {@link mustEnd}. One transaction per run, because grading may take some time.
 * @returns the run, which may have been ended by somebody else
 */
export function endOverdueRun(ctx: Ctx, runId: string): Promise<RunRow> {
  return withTransaction(ctx, async (inner) => {
    const run = await lockRun(inner, { runId });
    if (hasEnded(run) || !(await mustEnd(inner, run))) return run;
    return settleLockedRun(inner, run, await overdueOutcome(inner, run));
  });
}

/** A ranked run counts if its time is up, even if it has not begun. */
async function overdueOutcome(ctx: TransactionCtx, run: RunRow): Promise<RunOutcome> {
  const { cases } = productOf(run);
  const plan = await cases.plan(ctx, run);
  if (plan === null) return failedOutcome('internal', cases.goneMessage);
  if (run.status === 'queued' && !run.ranked)
    return failedOutcome('deadline_exceeded', 'No case was fetched within 24 hours.');
  return completeEarly(ctx, run, plan, 'not_answered');
}

/**
 * For a caller that has found the run with {@link findOwnPullRun}, which ends one without a plan.
 * @throws DomainError run_ended
 */
export async function requirePlan(ctx: Pick<Ctx, 'db' | 'rules'>, run: RunRow): Promise<RunPlan> {
  const plan = await productOf(run).cases.plan(ctx, run);
  if (plan === null) refuseEnded(run);
  invariant(plan !== null, 'An open run has a plan.');
  return plan;
}

/** @throws DomainError run_ended */
export function refuseEnded(run: RunRow): void {
  if (!hasEnded(run)) return;
  throw new DomainError('run_ended', `The run has ${run.status === 'failed' ? 'failed' : 'ended'}.`, {
    hint: `${operation('getRun')} shows its result.`,
  });
}

export async function readPullState(ctx: Ctx, runId: string, plan: RunPlan): Promise<PullState> {
  const rows = await selectLeases(ctx.db).execute({ runId });
  const [newest] = await selectNewest(ctx.db).execute({ runId });
  return {
    recorded: await readRecorded(ctx, runId, plan),
    leases: new Map(rows.map((row) => [row.itemIndex, row])),
    nextIndex: 1 + Math.max(newest?.index ?? -1, rows.at(-1)?.itemIndex ?? -1),
  };
}

const selectLeases = prepareForTransactions(({ query, tables: { runLeases } }) =>
  query
    .select()
    .from(runLeases)
    .where(eq(runLeases.runId, sql.placeholder('runId')))
    .orderBy(asc(runLeases.itemIndex))
    .prepare(''),
);

const selectNewest = prepareForTransactions(({ query, tables: { runItems } }) =>
  query
    .select({ index: max(runItems.itemIndex) })
    .from(runItems)
    .where(eq(runItems.runId, sql.placeholder('runId')))
    .prepare(''),
);

/** What the plan depends on. */
export async function readRecorded({ db }: Ctx, runId: string, plan: RunPlan): Promise<RecordedItem[]> {
  if (!plan.isAdaptive) return [];
  const { runItems } = db.tables;
  return db.query
    .select({ index: runItems.itemIndex, score: runItems.share })
    .from(runItems)
    .where(eq(runItems.runId, runId));
}

/**
 * Stores what came of steps in a run that the caller has locked, and ends the run with its last case.
 *
 * @returns whether the run has ended
 */
export async function storePulled(
  ctx: TransactionCtx,
  run: RunRow,
  progress: readonly Progress[],
): Promise<boolean> {
  if (progress.length > 0) await storeProgress(ctx, [{ run, progress }]);
  const finished = progress.filter((one) => 'result' in one);
  if (run.progressDone + finished.length < run.progressTotal) return false;
  const plan = await requirePlan(ctx, run);
  const recorded = await listItemsInParts(ctx, run.id, (item) => plan.scored(item));
  const outcome = await scoreOrRefund(run, plan, recorded);
  return settleRun(ctx, { runId: run.id, attempt: run.attempt, outcome, jobId: null });
}

/** What the agent says next, a text, calls or both; or why it says nothing. */
export interface SubmittedAnswer {
  readonly caseId: string;
  /** Recognises repeated answers. By default, it is the next step. */
  readonly step?: number | undefined;
  readonly text?: string | undefined;
  readonly toolCalls?: readonly GivenCall[] | undefined;
  readonly error?: string | undefined;
  /** Of a reply that was kept from before: how long it took then. */
  readonly latencyMs?: number | undefined;
  /** The tokens that the agent used, as it reports them. */
  readonly usage?: object | undefined;
}

/** The limit for all texts of a submission together, in UTF-8. */
export const answerBytesMax = 256 * 1024;
/** Of the words that say why there is no reply. */
export const errorCharactersMax = 500;
export interface GivenAnswer {
  readonly caseId: string;
  readonly step: number | undefined;
  readonly said: Step | null;
  /** Instead: why nothing is said. */
  readonly error: string | null;
  readonly latencyMs: number;
  readonly usage: TokenUsage | null;
  /** Recognises a repetition. */
  readonly mark: string;
}

/** @throws DomainError body_too_large, invalid_body */
export function readAnswers(answers: readonly SubmittedAnswer[]): readonly GivenAnswer[] {
  refuseTooLarge(answers);
  return answers.map(readAnswer);
}

/** An empty text is a reply only if it was sent: nothing else stands for one. */
function readAnswer(answer: SubmittedAnswer, index: number): GivenAnswer {
  const { caseId, step, text, toolCalls = [], error, latencyMs = 0 } = answer;
  const hasReply = text !== undefined || toolCalls.length > 0;
  if (hasReply === (error !== undefined)) {
    const fault = hasReply
      ? 'both a reply and an `error`'
      : 'no reply: `text` is missing, and there are no `tool_calls`';
    throw new DomainError('invalid_body', `\`answers[${index}]\` has ${fault}.`, {
      hint: 'Send `text`, which may be empty, for a reply, or `error` if there is none: the case then counts as failed.',
    });
  }
  const usage = readUsage(answer, index);
  const said = error === undefined ? readStep(text, toolCalls, index) : null;
  const mark = `${step ?? ''}:${Bun.hash(JSON.stringify(said ?? error)).toString(36)}`;
  return { caseId, step, said, error: error ?? null, latencyMs, usage, mark };
}

function readStep(text: string | undefined, toolCalls: readonly GivenCall[], index: number): Step {
  const calls = readCalls(toolCalls, (given) => given);
  if (calls === null) {
    throw new DomainError('invalid_body', `\`answers[${index}].tool_calls\` has a call without a \`name\`.`, {
      hint: 'Every call is `{name, arguments}`.',
    });
  }
  return { text: text === undefined ? null : storable(text), calls };
}

/** An answer without a step may repeat one that has it. */
export function isSameMark(stored: string, given: string): boolean {
  const [step, hash] = stored.split(':');
  const [givenStep, givenHash] = given.split(':');
  return hash === givenHash && (givenStep === '' || step === '' || step === givenStep);
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
