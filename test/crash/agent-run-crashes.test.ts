/**
 * Kills a process in the middle of a run of the office, at its crash points and between commit and response: the API, whose
 * agent repeats each request until it gets a response, and the worker that drives a target. The run must end as if nothing
 * had happened: the office goes on from the stored steps. `CRASH_KILLS`
 * sets the number of kills, which are divided among as many runs as have room for them.
 */
import { expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { settlePort } from '#cli/supervisor/settle-defaults.ts';
import { auditHub } from '#domain/audit/audit-hub.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import type { Ctx } from '#domain/context.ts';
import { createRandom, type Random } from '#evals/random.ts';
import type { WeekCall } from '#evals/week/week.ts';
import type { CrashPoint } from '#runtime/process/crash-points.ts';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import {
  callsIn,
  giveUp,
  planFor,
  readAgentRun,
  startAgentRun,
  startPushedRun,
  stepOf,
  taskCount,
} from '#test/harness/agent-runs.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs, createTestCtx } from '#test/harness/ctx.ts';
import { startTestRedis } from '#test/harness/redis.ts';
import { openScratchStore, type ScratchStore } from '#test/harness/stores.ts';
import { startToolTarget, toolCallsReply } from '#test/harness/tool-target.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { askUntilAnswered } from './ask-until-answered.ts';
import { type Death, storesOf } from './crash-plan.ts';
import { releaseDead, withVictim } from './with-victim.ts';

const killsMax = 100;
/** A death takes up to three tasks of a run's 12. */
const killsPerRun = 4;
const apiKills = Math.min(killsMax, Number(process.env['CRASH_KILLS'] ?? '3'));
const workerKills = Math.min(killsMax, Number(process.env['CRASH_KILLS'] ?? '1'));
const perKillMaxMs = 90_000;
const apiPoints: readonly CrashPoint[] = [
  'answers.written',
  'request.answering',
  'cases.handing-out',
  'answers.graded',
  'transaction.committed',
];
const workerPoints: readonly CrashPoint[] = [
  'step.stored',
  'run.claimed',
  'target.answered',
  'reply.reading',
  'cases.written',
  'target.calling',
  'case.stored',
  'transaction.committed',
];
/** The tasks played with the reference plan; the others are given up at once, which keeps the test short. */
const solvedTasks = 2;

for (const dialect of storesOf('sqlite')) {
  const seed = process.env['CRASH_SEED'] ?? randomBytes(16).toString('hex');
  const crash = (kind: string, kills: number, run: (options: CrashOptions) => Promise<void>) => async () => {
    console.log(`${kind} crashes of an agent run on ${dialect}: CRASH_SEED=${seed} CRASH_KILLS=${kills}`);
    const store = await openScratchStore(dialect);
    const redis = await startTestRedis();
    try {
      const random = createRandom(seed, kind);
      for (let left = kills; left > 0; left -= killsPerRun)
        await run({ store, redisUrl: redis.url, random, kills: Math.min(left, killsPerRun) });
    } finally {
      await redis.stop();
      await store.remove();
    }
  };
  test.concurrent(
    `on ${dialect}, an agent run survives the death of the API at any step, and nothing is doubled`,
    crash('api', apiKills, crashApi),
    60_000 + apiKills * perKillMaxMs,
  );
  test.concurrent(
    `on ${dialect}, a worker that takes over an agent run continues in the middle of its task`,
    crash('worker', workerKills, crashWorker),
    60_000 + workerKills * perKillMaxMs,
  );
}

interface CrashOptions {
  readonly store: ScratchStore;
  readonly redisUrl: string;
  readonly random: Random;
  readonly kills: number;
}

/** The second pass of the first point is in the middle of a task, after two steps. */
function planDeaths(random: Random, points: readonly CrashPoint[], kills: number): Death[] {
  return Array.from({ length: kills }, (_, index): Death => {
    const point = points[index % points.length] ?? 'run.claimed';
    // A worker claims the run once in its life.
    const onPass = point === 'run.claimed' ? 1 : random.int(1, 3);
    return { point, onPass: index === 0 ? 2 : onPass, afterSteps: 0 };
  });
}

const lastDeath: Death = { point: 'run.written', onPass: 1, afterSteps: 0 };
/** At the end of the run, before, while and after it is settled. Only longer series have them. */
const workerEnds: readonly Death[] = (['run.settling', 'run.written', 'run.settled'] as const).map(
  (point) => ({ point, onPass: 1, afterSteps: 0 }),
);

async function crashApi({ store, redisUrl, random, kills }: CrashOptions): Promise<void> {
  const port = await settlePort('127.0.0.1', 0);
  const stores = { database: store.setting, redisUrl };
  const deaths = [...planDeaths(random, apiPoints, kills - 1), lastDeath];
  await withVictim({
    process: { program: 'api', stores, settings: { PORT: String(port) } },
    deaths,
    work: () => playAndCheck(store, `http://127.0.0.1:${port}`),
  });
}

async function crashWorker({ store, redisUrl, random, kills }: CrashOptions): Promise<void> {
  const plain = createTestCtx(store.db);
  const ctx = { ...plain, rules: { ...plain.rules, targetAddresses: createAddressPolicy(['loopback']) } };
  const as = actingAs(ctx, await createTestAgent(ctx, { tokens: 1, freeAgentRunTaken: true }));
  const runs: RunRow[] = [];
  const solved = Array.from({ length: solvedTasks }, () => new Array<WeekCall>());
  const target = startToolTarget({ ctx, runs }, ({ left, messages }) => {
    const prompt = messages.find(({ role }) => role === 'user')?.content ?? '';
    const own = solved[Number(/^Task (\d+)/.exec(prompt)?.[1]) - 1];
    if (own === undefined) return toolCallsReply([giveUp]);
    if (own.length === 0) own.push(...left);
    return toolCallsReply(left.slice(0, 2));
  });
  const { run, job } = await startPushedRun(as, target.url);
  runs.push(run);
  const victim = {
    program: 'worker',
    words: ['--pool', 'eval-runner', '--pool', 'sweeper'],
    stores: { database: store.setting, redisUrl },
    settings: { EVAL_ALLOWED_TARGETS: 'loopback' },
  } as const;
  const ends = async (): Promise<void> => {
    const { jobs } = ctx.db.tables;
    const isClosed = async () => {
      const [row] = await ctx.db.query.select().from(jobs).where(eq(jobs.id, job.jobId));
      return row?.closedAt !== null;
    };
    await waitUntil(isClosed, 40_000 + kills * perKillMaxMs);
  };
  const lastDeaths = kills > workerEnds.length ? workerEnds : [];
  try {
    await withVictim({
      process: victim,
      deaths: [...planDeaths(random, workerPoints, kills - lastDeaths.length), ...lastDeaths],
      work: ends,
      afterDeath: () => releaseDead(store.db, redisUrl, run.id),
    });
    await checkRun(
      ctx,
      run,
      Array.from({ length: taskCount }, (_, index) => solved[index] ?? [giveUp]),
    );
    // The same conversation again, under the same key: a target that remembers keys makes no call twice.
    const sent = new Map(
      target.calls.map(({ idempotencyKey, body }) => [idempotencyKey, JSON.stringify(body)]),
    );
    for (const { idempotencyKey, body } of target.calls)
      expect(JSON.stringify(body)).toBe(sent.get(idempotencyKey) ?? '');
    expect(sent.size).toBeGreaterThan(taskCount);
  } finally {
    await target.stop();
  }
}

/** Two calls in a step. */
const callsAtOnce = 2;

async function playAndCheck(store: ScratchStore, url: string): Promise<void> {
  const ctx = createTestCtx(store.db);
  const agent = await createTestAgent(ctx, { tokens: 1, freeAgentRunTaken: true });
  const run = await startAgentRun(actingAs(ctx, agent));
  const ask = askUntilAnswered(`${url}/v1/runs/${run.id}`, agent.bearerToken);
  const played: (readonly WeekCall[])[] = [];
  for (let index = 0; index < taskCount; index += 1) {
    const case_id = `task-${index + 1}`;
    expect(await ask('/cases/next')).toMatchObject({
      cases: [{ case_id, step: 0 }],
      remaining: taskCount - index,
    });
    const plan = index < solvedTasks ? await planFor(ctx, run, index) : [giveUp];
    for (let step = 0; step * callsAtOnce < plan.length; step += 1) {
      const { calls } = stepOf(plan.slice(step * callsAtOnce, (step + 1) * callsAtOnce));
      const done = (step + 1) * callsAtOnce >= plan.length;
      const answered = await ask('/answers', { answers: [{ case_id, step, tool_calls: calls }] });
      expect(answered).toMatchObject({
        cases: [done ? { case_id, done } : { case_id, done, step: step + 1 }],
      });
    }
    played.push(plan);
  }
  expect(await ask('')).toMatchObject({ run: { status: 'completed', progress: { done: taskCount } } });
  await checkRun(ctx, run, played);
}

/** Expects that every call was made once, in order, and paid for once. */
async function checkRun(ctx: Ctx, { id }: RunRow, played: readonly (readonly WeekCall[])[]): Promise<void> {
  const kept = await readAgentRun(ctx, id);
  expect(kept.run).toMatchObject({ status: 'completed', progressDone: taskCount });
  expect(kept.tasks.map(callsIn)).toEqual([...played]);
  const solved = kept.tasks.slice(0, solvedTasks).map(({ status }) => status);
  expect(solved).toEqual(Array.from({ length: solvedTasks }, () => 'passed'));
  expect([kept.open, kept.account?.balance, kept.entries.map(({ kind }) => kind)]).toEqual([
    [],
    0,
    ['spend'],
  ]);
  expect((await auditHub(ctx)).filter(({ drifts }) => drifts.length > 0)).toEqual([]);
}
