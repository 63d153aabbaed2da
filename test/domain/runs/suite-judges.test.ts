/** Graders of suites that are webhooks of their owner: signed calls, retries, and what becomes of ungraded replies. */
import { expect, test } from 'bun:test';
import { Webhook } from 'standardwebhooks';
import { gradersInPlace } from '#domain/runs/grading/grade-reply.ts';
import { createJudges, type Judges } from '#domain/runs/grading/judges.ts';
import { answerCases, gradeAnswers } from '#domain/runs/pull/answer-cases.ts';
import { handOutCases } from '#domain/runs/pull/hand-out-cases.ts';
import { showOwnRun } from '#domain/runs/show-run.ts';
import { updateSuite } from '#domain/suites/change-suite.ts';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { connectProducer, isReadyWithin } from '#runtime/redis/redis.ts';
import { useTestCtx } from '#test/harness/ctx.ts';
import { useTestRedis } from '#test/harness/redis.ts';
import { changeRows } from '#test/harness/rows.ts';
import { testSecretKey } from '#test/harness/secret-key.ts';
import { silentLogger as logger } from '#test/harness/silent-logger.ts';
import { onStore } from '#test/harness/stores.ts';
import { orderSuiteRun, publishTestSuite } from '#test/harness/suites.ts';
import { useAgentCtx } from '#test/harness/use-agent-ctx.ts';
import { register } from '#test/harness/webhooks.ts';
import type { AgentCtx } from '#domain/context.ts';
import { redisNames } from '#runtime/redis/redis-names.ts';

const redis = useTestRedis();

onStore('sqlite', (store) => {
  const ctx = useTestCtx(store);
  const asAda = useAgentCtx(ctx, { tokens: 9 });
  const ada = asAda.agent;
  const asBob = useAgentCtx(ctx, { tokens: 9 });

  test('judges are asked in signed calls, and a run with more than a tenth ungraded fails and is refunded', async () => {
    const calls: { headers: Record<string, string>; body: string }[] = [];
    let holders: string[] = [];
    // More digits than JavaScript keeps.
    let answer = () => new Response('{"share": 0.99999999999999999, "explanation": "Fine."}');
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: async (request) => {
        calls.push({ headers: Object.fromEntries(request.headers), body: await request.text() });
        holders = await producer.zrange(redisNames.targetSlots('127.0.0.1').slots, '0', '-1');
        return answer();
      },
    });
    const { webhook, secret } = await register(ctx, ada, server.url.href, ['suite.grade']);
    const note = { name: 'note', arguments: { text: 'x'.repeat(20_000) } };
    const expectation = [{ webhook: webhook.id }, { contains: 'rose' }];
    const judged = { id: 'judged', prompt: 'Write a poem.', tools: [{ name: 'note' }], expect: expectation };
    await publishTestSuite(asAda, { suite: 1, name: 'judges', cases: [judged] });
    const ref = `@${ada.handle}/judges`;
    const producer = connectProducer(redis.url, logger);
    await isReadyWithin(producer, 20_000);
    const deps = { redis: producer, logger, secretKey: testSecretKey };
    const judgesAt = (allowed: readonly string[]) =>
      createJudges({ ...deps, policy: createAddressPolicy(allowed), pausesMs: [1, 1] });
    const [judges, publicJudges] = [judgesAt(['loopback']), judgesAt([])];
    const play = async (as: AgentCtx = asAda, by = judges) => {
      calls.length = 0;
      const graders = { ...gradersInPlace, judge: (...asked: Parameters<Judges['ask']>) => by.ask(...asked) };
      const run = await orderSuiteRun(as, ref);
      const { cases } = await handOutCases(as, { runId: run.id, limit: 1 });
      const answers = [{ caseId: cases[0]!.caseId, text: 'A rose.', toolCalls: [{ id: 'c', ...note }] }];
      await answerCases(as, await gradeAnswers(as, { runId: run.id, answers, graders }));
      return showOwnRun(as, { runId: run.id, withCases: true });
    };
    await changeRows(ctx, 'agents', {}, { network: 'network-of-ada' });
    const { cases } = await play();
    expect(holders).toEqual([expect.stringContaining(' network-network-of-ada ')]);
    expect(cases?.[0]?.trials[0]).toMatchObject({
      status: 'passed',
      graders: [{ name: 'webhook', found: 'Fine.' }, {}],
    });
    const [call] = calls;
    const sent = new Webhook(secret).verify(call!.body, call!.headers);
    expect(sent).toMatchObject({
      type: 'suite.grade',
      data: { suite: ref, case_id: 'judged', trial: 1, reply: { text: 'A rose.', tool_calls: [note] } },
    });
    const refunded = { status: 'failed', failureCode: 'ungraded', chargeState: 'refunded' };
    for (const [reply, attempts] of [
      [() => new Response('no', { status: 400 }), 1],
      [() => new Response('down', { status: 503 }), 3],
      [() => Response.json({ share: 7 }), 1],
    ] as const) {
      answer = reply;
      expect((await play()).run).toMatchObject(refunded);
      expect(calls).toHaveLength(attempts);
    }

    // As if the webhook had been registered when its name led elsewhere.
    expect((await play(asAda, publicJudges)).run).toMatchObject(refunded);
    expect(calls).toEqual([]);

    // Only who may read the cases reads why they could not be graded.
    answer = () => new Response('gone', { status: 404 });
    await updateSuite(asAda, { owner: ada.handle, name: 'judges', visibility: 'hidden' });
    const [own, other] = [await play(), await play(asBob)];
    expect(own.run.failureMessage).toContain('status 404');
    expect(other.run).toMatchObject({
      failureCode: 'ungraded',
      failureMessage: '1 of 1 replies could not be graded. The suite hides why. The run was refunded.',
    });

    // The webhooks of a suspended agent receive nothing, whoever runs its suites.
    await changeRows(ctx, 'agents', { id: ada.id }, { suspendedAt: new Date(0) });
    expect((await play(asBob)).run).toMatchObject(refunded);
    expect(calls).toEqual([]);
    judges.close();
    publicJudges.close();
    producer.disconnect();
    await server.stop(true);
  });
});
