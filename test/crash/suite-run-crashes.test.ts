/**
 * Kills the worker at each crash point of a suite run in push mode. The run completes as if nothing had happened: no item
 * twice, the figures of all, and one charge.
 */
import { expect, test } from 'bun:test';
import { auditHub } from '#domain/audit/audit-hub.ts';
import { showOwnRun } from '#domain/runs/show-run.ts';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs, createTestCtx } from '#test/harness/ctx.ts';
import { readRun } from '#test/harness/eval-runs.ts';
import { startTestRedis } from '#test/harness/redis.ts';
import { rowsOf } from '#test/harness/rows.ts';
import { openScratchStore } from '#test/harness/stores.ts';
import { orderSuiteRun, publishTestSuite } from '#test/harness/suites.ts';
import { startTarget } from '#test/harness/target.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { type Death, storesOf } from './crash-plan.ts';
import { releaseDead, withVictim } from './victim.ts';

/**
 * In the order of a run, each list in a run of its own. A point in its middle is passed once before, so that the attempt
 * has done some work.
 */
const series = (
  [
    [
      ['run.claimed', 1],
      ['target.calling', 2],
      ['reply.reading', 2],
    ],
    [
      ['target.answered', 2],
      ['step.stored', 3],
      ['cases.written', 2],
      ['transaction.committed', 3],
    ],
    [
      ['case.stored', 2],
      ['run.settling', 1],
      ['run.written', 1],
      ['run.settled', 1],
    ],
  ] as const
).map((points) => points.map(([point, onPass]): Death => ({ point, onPass, afterSteps: 0 })));
const [caseCount, trials] = [8, 3];
const replies = caseCount * trials;
/** Each case takes a step with a call and one with a text. */
const steps = 2 * replies;
/** The default concurrency of a target. */
const inFlight = 4;

for (const [dialect, deaths] of storesOf('postgres').flatMap((one) =>
  series.map((deaths) => [one, deaths] as const),
)) {
  const points = deaths.map(({ point }) => point).join(', ');
  test.concurrent(`on ${dialect}, a suite run survives the death of its worker at ${points}`, async () => {
    await using store = await openScratchStore(dialect);
    const redis = await startTestRedis();
    const plain = createTestCtx(store.db);
    const ctx = { ...plain, rules: { ...plain.rules, targetAddresses: createAddressPolicy(['loopback']) } };
    const agent = await createTestAgent(ctx, { tokens: 2, freeSuiteRunTaken: true });
    const as = actingAs(ctx, agent);
    const cases = Array.from({ length: caseCount }, (_, at) => ({
      id: `case-${at}`,
      prompt: `Say ${at}.`,
      expect: [{ equals: `${at}` }],
    }));
    const tools = [{ name: 'look', returns: 'Go on.' }];
    await publishTestSuite(as, { suite: 1, name: 'deadly', defaults: { trials }, tools, cases });
    const target = startTarget(({ prompt, body }) => {
      // The hub sends the whole conversation.
      const { messages = [] } = body as { messages?: { role: string }[] };
      if (messages.length === 0) return Response.json({ tool_calls: [{ name: 'look', arguments: {} }] });
      // The last case is always wrong.
      return prompt === 'Say 7.' ? 'x' : (/\d+/.exec(prompt)?.[0] ?? '');
    });
    const { id } = await orderSuiteRun(as, `@${agent.handle}/deadly`, { targetUrl: target.url });
    try {
      await withVictim({
        process: {
          program: 'worker',
          words: ['--pool', 'eval-runner', '--pool', 'sweeper'],
          stores: { database: store.setting, redisUrl: redis.url },
          settings: { EVAL_ALLOWED_TARGETS: 'loopback' },
        },
        deaths,
        work: () => waitUntil(async () => (await readRun(ctx, id)).row.closedAt !== null, 240_000),
        afterDeath: () => releaseDead(store.db, redis.url, id),
      });
      const { job, account, entries } = await readRun(ctx, id);
      expect(job).toMatchObject({
        status: 'completed',
        chargeState: 'consumed',
        chargeTokens: 1,
        progressDone: replies,
        score: 87.5,
      });
      expect(job.attempt).toBeGreaterThan(1);
      expect([account.balance, entries.map(({ kind }) => kind)]).toEqual([1, ['spend']]);
      const items = await rowsOf(ctx, 'runItems', { runId: id });
      const all = Array.from({ length: replies }, (_, index) => index);
      expect(items.map(({ itemIndex }) => itemIndex).toSorted((a, b) => a - b)).toEqual(all);
      expect(items.map(({ position }) => position - 1).toSorted((a, b) => a - b)).toEqual(all);
      const { result } = await showOwnRun(as, { runId: id });
      expect(result).toMatchObject({
        flaky: [],
        pass_k: { k: trials },
        marks: { 'case-0': 'ppp', 'case-7': 'fff' },
      });
      // An item that was asked again has the same key, so a target that remembers keys answers none twice.
      const sent = new Map(target.calls.map(({ idempotencyKey, body }) => [idempotencyKey, body]));
      expect(sent.size).toBe(steps);
      for (const { idempotencyKey, body } of target.calls) expect(body).toEqual(sent.get(idempotencyKey));
      // Each death loses at most the steps in flight.
      expect(target.calls.length).toBeLessThanOrEqual(steps + inFlight * deaths.length);
      expect(await ctx.db.query.$count(ctx.db.tables.runLeases)).toBe(0);
      expect(await rowsOf(ctx, 'notifications', { agentId: agent.id })).toHaveLength(1);
      expect((await auditHub(ctx)).filter(({ drifts }) => drifts.length > 0)).toEqual([]);
    } finally {
      await target.stop();
      await redis.stop();
    }
  }, 300_000);
}
