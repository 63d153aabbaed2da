/**
 * Kills the worker at crash points of an eval run that asks each case twice, and of its replay. Both end as if nothing had
 * happened: no item twice, the same cases, and one charge each.
 */
import { expect, test } from 'bun:test';
import { asc, eq } from 'drizzle-orm';
import { auditHub } from '#domain/audit/audit-hub.ts';
import { compareRuns } from '#domain/runs/compare-runs.ts';
import { redeem } from '#domain/runs/redeem.ts';
import type { StoredTrial } from '#evals/own-suite/stored-trial.ts';
import type { SamplingInput } from '#domain/runs/redemption-input.ts';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { openAnswerBook } from '#test/harness/answer-book.ts';
import { actingAs, createTestCtx } from '#test/harness/ctx.ts';
import { plainRunSize, readRun } from '#test/harness/eval-runs.ts';
import { startTestRedis } from '#test/harness/redis.ts';
import { testSecretKey } from '#test/harness/secret-key.ts';
import { openScratchStore } from '#test/harness/stores.ts';
import { startTarget } from '#test/harness/target.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import type { Death } from './crash-plan.ts';
import { endLease, withVictim } from './with-victim.ts';

const deathsOf = (points: readonly (readonly [Death['point'], number])[]) =>
  points.map(([point, onPass]): Death => ({ point, onPass, afterSteps: 0 }));
/** The first in the middle of the prompts that grow, each of which depends on the verdict before. */
const ofRepeat = deathsOf([
  ['case.stored', 40],
  ['reply.reading', 3],
  ['run.written', 1],
]);
const ofReplay = deathsOf([
  ['cases.written', 2],
  ['run.settled', 1],
]);
const replies = 2 * plainRunSize;

for (const dialect of ['sqlite', 'postgres'] as const) {
  test.concurrent(`on ${dialect}, a repeated run and its replay survive the deaths of their worker`, async () => {
    const store = await openScratchStore(dialect);
    const redis = await startTestRedis();
    const plain = createTestCtx(store.db);
    const ctx = { ...plain, rules: { ...plain.rules, targetAddresses: createAddressPolicy(['loopback']) } };
    const as = actingAs(ctx, await createTestAgent(ctx, { tokens: 4, freeEvalTaken: true }));
    const seeds: string[] = [];
    const book = openAnswerBook(() => seeds);
    const target = startTarget(({ prompts }) => book.find(prompts)?.best ?? 'I do not know.');
    const order = async (sampling: Partial<SamplingInput>) => {
      const input = {
        product: 'eval-run',
        targetUrl: target.url,
        target: null,
        secretKey: testSecretKey,
      } as const;
      const none = { repeat: 1, seed: null, replayOf: null };
      const sampled = {
        trials: 2,
        ranked: false,
        sampling: { ...none, ...sampling },
      } as const;
      return (await redeem(as, { ...input, ...sampled })).run;
    };
    const survive = (id: string, deaths: readonly Death[]) =>
      withVictim({
        process: {
          program: 'worker',
          words: ['--pool', 'eval-runner', '--pool', 'sweeper'],
          stores: { database: store.setting, redisUrl: redis.url },
          settings: { EVAL_ALLOWED_TARGETS: 'loopback' },
        },
        deaths,
        work: () => waitUntil(async () => (await readRun(ctx, id)).row.closedAt !== null, 240_000),
        afterDeath: () => endLease(store.db, id),
      });
    const itemsOf = async (id: string) => {
      const { runItems } = ctx.db.tables;
      return ctx.db.query
        .select()
        .from(runItems)
        .where(eq(runItems.runId, id))
        .orderBy(asc(runItems.itemIndex));
    };
    try {
      const first = await order({});
      seeds.push(first.suiteSeed);
      await survive(first.id, ofRepeat);
      const replay = await order({ replayOf: first.id });
      await survive(replay.id, ofReplay);
      const all = Array.from({ length: replies }, (_, index) => index);
      for (const { id } of [first, replay]) {
        const { job } = await readRun(ctx, id);
        expect(job).toMatchObject({
          status: 'completed',
          chargeState: 'consumed',
          chargeTokens: 2,
          score: 100,
        });
        expect(job.attempt).toBeGreaterThan(1);
        const items = await itemsOf(id);
        expect(items.map(({ itemIndex }) => itemIndex)).toEqual(all);
        expect(items.map(({ position }) => position - 1).toSorted((a, b) => a - b)).toEqual(all);
      }
      // The plan of an eval run stores these.
      const shape = async (id: string) =>
        (await itemsOf(id))
          .map(({ result }) => result as StoredTrial)
          .map((one) => [one.case_id, one.trial, one.status]);
      expect(await shape(replay.id)).toEqual(await shape(first.id));
      expect(await compareRuns(as, { runId: first.id, otherRunId: replay.id })).toMatchObject({
        cases: plainRunSize,
        verdict: 'no clear change',
        reach: { sample: 'same cases' },
      });
      const { account, entries } = await readRun(ctx, replay.id);
      expect([account.balance, entries.map(({ kind }) => kind)]).toEqual([0, ['spend']]);
      expect((await auditHub(ctx)).filter(({ drifts }) => drifts.length > 0)).toEqual([]);
    } finally {
      await target.stop();
      await redis.stop();
      await store.remove();
    }
  }, 300_000);
}
