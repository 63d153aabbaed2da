/** Runs evals in this process over real stores, and reads the results. */
import { eq } from 'drizzle-orm';
import type { Ctx } from '#domain/context.ts';
import { DomainError } from '#domain/errors.ts';
import { recordEvalCases } from '#domain/eval-jobs/record-eval-cases.ts';
import { type AcceptedRedemption, acceptRedemptions } from '#domain/redemptions/accept-redemptions.ts';
import { createBatcher } from '#runtime/batcher.ts';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { createGuardedHttp, type GuardedHttpOptions } from '#runtime/guarded-http/guarded-request.ts';
import { createLogger } from '#runtime/tracing/log.ts';
import { connectProducer } from '#runtime/redis/redis.ts';
import { type EvalCase, generateCases } from '#domain/eval-suite/index.ts';
import type { EvalRunnerDeps } from '#workers/eval-runner/run-cases.ts';
import { runEvalJob } from '#workers/eval-runner/run-eval-job.ts';
import { createTargetSlots } from '#workers/target-slots.ts';
import { startTarget } from './target.ts';

export interface TestRunner extends EvalRunnerDeps {
  close(): void;
}

/** @param options overrides for a runner that may call loopback addresses */
export function createTestRunner(
  ctx: Ctx,
  redisUrl: string,
  options: Partial<GuardedHttpOptions> & { ending?: AbortSignal } = {},
): TestRunner {
  const logger = createLogger({ name: 'test', level: 'silent' });
  const redis = connectProducer(redisUrl, logger);
  const http = createGuardedHttp({
    policy: createAddressPolicy(['loopback']),
    ...options,
  });
  const slots = createTargetSlots(redis, logger);
  return {
    ctx,
    logger,
    http,
    takeSlot: slots.take,
    recordCase: createBatcher({
      maxBatch: 64,
      maxInFlight: 1,
      handle: (landed: Parameters<typeof recordEvalCases>[1]) => recordEvalCases(ctx, landed),
    }),
    ending: options.ending ?? new AbortController().signal,
    close: () => {
      slots.close();
      http.close();
      redis.disconnect();
    },
  };
}

/** @throws the refusal of the redemption */
export async function redeem(ctx: Ctx, agentId: string, targetUrl: string): Promise<AcceptedRedemption> {
  const [result] = await acceptRedemptions(ctx, [{ agentId, product: 'eval-run', targetUrl }]);
  if (result === undefined || result instanceof DomainError) throw result ?? new Error('no result');
  return result;
}

/**
 * Redeems and completes a run against a target that responds with `reply`.
 *
 * @returns the id of the eval job
 */
export async function completeRun(
  runner: TestRunner,
  agentId: string,
  reply: (evalCase: EvalCase) => string | Response = ({ expected }) => expected,
): Promise<string> {
  const cases = new Map<string, EvalCase>();
  const target = startTarget(({ prompt }) => {
    const evalCase = cases.get(prompt);
    return evalCase === undefined ? new Response('unknown prompt', { status: 500 }) : reply(evalCase);
  });
  const { evalJob } = await redeem(runner.ctx, agentId, target.url);
  for (const evalCase of generateCases(evalJob.suiteSeed)) cases.set(evalCase.prompt, evalCase);
  const row = await jobRowOf(runner.ctx, evalJob.id);
  await runEvalJob(runner, { evalJobId: evalJob.id, jobId: row.id });
  await target.stop();
  return evalJob.id;
}

/** The job row of the eval job. */
export async function jobRowOf(ctx: Ctx, evalJobId: string) {
  const { jobs } = ctx.db.tables;
  const rows = await ctx.db.query.select().from(jobs);
  const row = rows.find((job) => (job.payload as { evalJobId: string }).evalJobId === evalJobId);
  if (row === undefined) throw new Error(`no job row for eval job ${evalJobId}`);
  return row;
}

/** Everything the store holds about a run. */
export async function readRun(ctx: Ctx, evalJobId: string) {
  const { evalJobs, evalCases, evalScorecards, tokenAccounts, tokenEntries } = ctx.db.tables;
  const [job] = await ctx.db.query.select().from(evalJobs).where(eq(evalJobs.id, evalJobId));
  if (job === undefined) throw new Error(`no eval job ${evalJobId}`);
  const [account] = await ctx.db.query
    .select()
    .from(tokenAccounts)
    .where(eq(tokenAccounts.agentId, job.agentId));
  const [scorecard] = await ctx.db.query
    .select()
    .from(evalScorecards)
    .where(eq(evalScorecards.jobId, evalJobId));
  return {
    job,
    account: account!,
    scorecard: scorecard ?? null,
    cases: await ctx.db.query.select().from(evalCases).where(eq(evalCases.jobId, evalJobId)),
    entries: await ctx.db.query
      .select()
      .from(tokenEntries)
      .where(eq(tokenEntries.reference, job.redemptionId)),
    row: await jobRowOf(ctx, evalJobId),
  };
}
