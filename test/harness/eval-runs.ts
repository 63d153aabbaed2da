/** Runs evals in this process over real stores, and reads the results. */
import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import type { AgentCtx, Ctx } from '#domain/context.ts';
import { DomainError } from '#domain/errors.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import { acceptRedemptions } from '#domain/runs/redeem.ts';
import { gradersInPlace } from '#domain/runs/grading/grade-reply.ts';
import { plainOrder } from './plain-order.ts';
import type { RunOrder } from '#domain/runs/product.ts';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import {
  createGuardedHttp,
  type GuardedHttp,
  type GuardedHttpOptions,
} from '#runtime/guarded-http/guarded-request.ts';
import { connectProducer } from '#runtime/redis/redis.ts';
import { openChats } from '#workers/eval-runner/chats.ts';
import { LeaseKeeper } from '#workers/eval-runner/lease-keeper.ts';
import { type Accepted, answerCases, gradeAnswers } from '#domain/runs/pull/answer-cases.ts';
import type { SubmittedAnswer } from '#domain/runs/pull/pull-run.ts';
import { claimRun, renewRunLeases } from '#domain/runs/hold-run.ts';
import type { EvalRunnerDeps } from '#workers/eval-runner/run-cases.ts';
import { pushRun } from '#workers/eval-runner/push-run.ts';
import { createCaseRecorder } from '#workers/eval-runner/start-eval-runner.ts';
import { createTargetTurns } from '#runtime/turns/target-turns.ts';
import { createTestAgent } from './agents.ts';
import { type BookedTurn, openAnswerBook } from './answer-book.ts';
import { type TestCtx, useTestCtx } from './ctx.ts';
import { testSecretKey } from './secret-key.ts';
import { silentLogger as logger } from './silent-logger.ts';
import { startTarget } from './target.ts';
import { useStarted } from './use-started.ts';
import { waitUntil } from './wait-until.ts';
import { jobAbout, rowOf, rowsOf } from './rows.ts';

export interface TestRunner extends EvalRunnerDeps, Disposable {
  readonly http: GuardedHttp;
  close(): void;
}

interface TestRunnerOptions extends Partial<GuardedHttpOptions> {
  readonly ending?: AbortSignal;
  /** Whether targets on loopback are limited too. */
  readonly isPublic?: boolean;
  readonly consentedHosts?: readonly string[];
  readonly did?: string;
  /** Called when the host of a target names the agent in its consent. */
  readonly onNamed?: () => Promise<void>;
}

export function useTestRunner(open: () => TestRunner): TestRunner {
  return useStarted(
    async () => open(),
    async (runner) => runner.close(),
  );
}

/** The context of a group of tests whose targets are on loopback, and a runner in it. */
export function useEvalRunner(
  store: { readonly db: Database },
  redis: { readonly url: string },
): { readonly ctx: TestCtx; readonly runner: TestRunner } {
  const ctx = useTestCtx(store, { targetAddresses: createAddressPolicy(['loopback']) });
  return { ctx, runner: useTestRunner(() => createTestRunner(ctx, redis.url)) };
}

/** @param options overrides for a runner that may call loopback addresses */
export function createTestRunner(ctx: Ctx, redisUrl: string, options: TestRunnerOptions = {}): TestRunner {
  const redis = connectProducer(redisUrl, logger);
  const http = createGuardedHttp({ policy: createAddressPolicy(['loopback']), ...options });
  const { isPublic = false, consentedHosts = [], did = '', onNamed = () => Promise.resolve() } = options;
  const caller = { network: 'test', agentId: 'test', did };
  const turns = createTargetTurns({ redis, logger, http, settings: { isPublic, consentedHosts } });
  const leases = new LeaseKeeper((claims) => renewRunLeases(ctx, claims), logger);
  return {
    ctx,
    logger,
    http,
    chat: openChats(http),
    claimant: caller,
    graders: gradersInPlace,
    turns: (onDelay) => turns.takeFor(caller, { onDelay, onNamed }),
    recordCase: createCaseRecorder(ctx),
    leases,
    secretKey: testSecretKey,
    ending: options.ending ?? new AbortController().signal,
    close: () => {
      leases.close();
      turns.close();
      http.close();
      redis.disconnect();
    },
    [Symbol.dispose]() {
      this.close();
    },
  };
}

/** Submits answers to cases of a pull run. */
export async function answerPulled(
  ctx: AgentCtx,
  runId: string,
  answers: readonly SubmittedAnswer[],
): Promise<Accepted> {
  return answerCases(ctx, await gradeAnswers(ctx, { runId, answers, graders: gradersInPlace }));
}

/** Submits an answer to each case: the same text for all, or a text made from the case. */
export function answerEach<Case extends Pick<SubmittedAnswer, 'caseId' | 'step'>>(
  ctx: AgentCtx,
  runId: string,
  cases: readonly Case[],
  text: string | ((one: Case) => string),
): Promise<Accepted> {
  const textFor = (one: Case) => (typeof text === 'string' ? text : text(one));
  const answers = cases.map((one) => ({ caseId: one.caseId, step: one.step, text: textFor(one) }));
  return answerPulled(ctx, runId, answers);
}

/** Claims a run as a runner does. */
export async function claimTestRun(ctx: Ctx, runId: string): Promise<RunRow> {
  const claim = await claimRun(ctx, { runId });
  if (claim.state !== 'claimed') throw new Error(`The run is ${claim.state} and cannot be claimed.`);
  return claim.run;
}

/** The outcome of a completed run with this score and interval; `scoreJson` is empty. */
export const completedWith = (score: number, interval = { low: 40, high: 60 }) =>
  ({ kind: 'completed', score, latency: null, estimate: { interval }, scoreJson: {}, missing: [] }) as const;

/** Says the same in every step of a case. */
export async function finishPulled(
  ctx: AgentCtx,
  runId: string,
  caseId: string,
  text: string,
): Promise<void> {
  for (let done = false; !done;) {
    const { cases } = await answerPulled(ctx, runId, [{ caseId, text }]);
    done = cases.every((one) => one.done);
  }
}

/** The number of cases of a run with the defaults. */
export const plainRunSize = plainOrder(null).runSize;

/** @throws the refusal of the redemption */
export async function redeem(
  ctx: Ctx,
  agentId: string,
  targetUrl: string | null,
  changes: Partial<RunOrder> = {},
): Promise<{ readonly evalRun: RunRow }> {
  const order = { ...plainOrder(targetUrl), ...changes };
  const [result] = await acceptRedemptions(ctx, [{ agentId, order }]);
  if (result === undefined || result instanceof DomainError) throw result ?? new Error('no result');
  return { evalRun: result.run };
}

/**
 * Creates an agent with two tokens and no free run, and redeems a run for one of them.
 * @returns the agent, the run and its id
 */
export async function redeemPaid(ctx: Ctx, targetUrl: string, changes: Partial<RunOrder> = {}) {
  const agent = await createTestAgent(ctx, { tokens: 2, freeEvalTaken: true });
  const { evalRun } = await redeem(ctx, agent.id, targetUrl, changes);
  return { agent, evalRun, runId: evalRun.id };
}

/**
 * Redeems and completes a run against a target that responds with `reply`.
 *
 * @returns the id of the eval run
 */
export async function completeRun(
  runner: TestRunner,
  agentId: string,
  reply: (turn: BookedTurn) => string | Response = ({ best }) => best,
  changes: Partial<RunOrder> = {},
): Promise<string> {
  const seeds: string[] = [];
  const book = openAnswerBook(() => seeds);
  const target = startTarget(({ prompts }) => {
    const turn = book.find(prompts);
    return turn === undefined ? new Response('unknown prompt', { status: 500 }) : reply(turn);
  });
  const { evalRun } = await redeem(runner.ctx, agentId, target.url, changes);
  seeds.push(evalRun.suiteSeed);
  await carryOut(runner, evalRun.id);
  await target.stop();
  return evalRun.id;
}

/** Takes a run to its end as a worker does. */
export async function carryOut(runner: EvalRunnerDeps, runId: string): Promise<void> {
  await pushRun(runner, { runId, jobId: (await jobRowOf(runner.ctx, runId)).id });
}

/** Takes a run to its end as a worker does. @returns its rows */
export async function runToEnd(runner: EvalRunnerDeps, runId: string) {
  await carryOut(runner, runId);
  return readRun(runner.ctx, runId);
}

/** Takes the run of the agent to its end as a worker does, once it is queued. */
export async function pushQueuedRun(runner: EvalRunnerDeps, agentId: string): Promise<void> {
  const { runs } = runner.ctx.db.tables;
  const isQueued = and(eq(runs.agentId, agentId), eq(runs.status, 'queued'));
  const find = () => runner.ctx.db.query.select().from(runs).where(isQueued);
  await waitUntil(async () => (await find()).length > 0);
  for (const { id } of await find()) await carryOut(runner, id);
}

/** The job row of the eval run. */
export const jobRowOf = (ctx: Ctx, runId: string) => jobAbout(ctx, 'runId', runId);

/** The rows of a run of any kind, and of the tokens that it took. */
export async function readRunRows(ctx: Pick<Ctx, 'db'>, runId: string) {
  const run = await rowOf(ctx, 'runs', { id: runId });
  const items = await rowsOf(ctx, 'runItems', { runId });
  return {
    run,
    account: await rowOf(ctx, 'tokenAccounts', { agentId: run.agentId }),
    items: items.toSorted((a, b) => a.itemIndex - b.itemIndex),
    entries: await rowsOf(ctx, 'tokenEntries', { reference: run.redemptionId }),
  };
}

/** Everything the store holds about an eval run. */
export async function readRun(ctx: Ctx, runId: string) {
  const { run: job, items: cases, ...rest } = await readRunRows(ctx, runId);
  const [scorecard = null] = await rowsOf(ctx, 'runScorecards', { runId });
  return { job, cases, ...rest, scorecard, row: await jobRowOf(ctx, runId) };
}

/** The rows of a run in pull mode, which has no job. */
export async function readPulledRun(ctx: Ctx, runId: string) {
  const { run: job, account, items } = await readRunRows(ctx, runId);
  return {
    job,
    balance: account.balance,
    cases: items.map(({ result }) => result),
    positions: items.map(({ position }) => position).toSorted((a, b) => a - b),
  };
}
