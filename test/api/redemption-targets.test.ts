/** The target of a redemption over HTTP: its rules, its secret headers, and cancelling its run. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { decryptHeaders } from '#domain/runs/encrypt-headers.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { type TestResponse, useTestHub } from '#test/harness/hub.ts';
import { testSecretKey } from '#test/harness/secret-key.ts';
import { onStore } from '#test/harness/stores.ts';

const target = 'http://127.0.0.1:9/agent';
const plain = { product: 'eval-run', target_url: target };

onStore('sqlite', (store) => {
  const hub = useTestHub({ store });

  const redeem = (agent: TestAgent, json: unknown = plain) =>
    hub.fetch('/v1/redemptions', { token: agent.bearerToken, json });

  function expectError(response: TestResponse, status: number, code: string): void {
    expect([response.status, response.body.error]).toEqual([status, code]);
    expect(response.body.message.length).toBeGreaterThan(10);
  }

  describe('rejects', () => {
    let agent: TestAgent;
    beforeAll(async () => {
      agent = await createTestAgent(hub.ctx, { tokens: 5 });
    });
    const bad: [string, unknown, number, string][] = [
      [
        'two targets',
        { product: 'eval-run', target_url: target, target: { url: target } },
        400,
        'invalid_body',
      ],
      ['a bad URL in `target`', { product: 'eval-run', target: { url: 'agent' } }, 400, 'invalid_target_url'],
      [
        'an unknown protocol',
        { product: 'eval-run', target: { url: target, protocol: 'grpc' } },
        400,
        'invalid_body',
      ],
      [
        'nine calls at once',
        { product: 'eval-run', target: { url: target, concurrency: 9 } },
        400,
        'invalid_body',
      ],
      ['nine seconds', { product: 'eval-run', target: { url: target, timeout_s: 9 } }, 400, 'invalid_body'],
      ...[
        { host: 'x' },
        { 'Content-Type': 'x' },
        { 'proxy-x': 'x' },
        { a: 'x\r\ny' },
        { 'a b': 'x' },
        { a: 'x', A: 'y' },
        { a: '' },
        Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, 'x'])),
      ].map((headers): [string, unknown, number, string] => [
        `the headers ${JSON.stringify(headers)}`,
        { product: 'eval-run', target: { url: target, headers } },
        400,
        'invalid_body',
      ]),
    ];
    for (const [what, json, status, code] of bad) {
      test(`${what}: ${code}`, async () => {
        expectError(await redeem(agent, json), status, code);
      });
    }
  });

  test('a target with secret headers is shown without their values', async () => {
    const agent = await createTestAgent(hub.ctx, { tokens: 1 });
    const headers = { Authorization: 'Bearer very-secret', cookie: 'a=b' };
    const chosen = { url: target, protocol: 'openai-chat', model: 'm', headers, concurrency: 2 };
    const { status, text, body } = await redeem(agent, {
      product: 'eval-run',
      target: { ...chosen, timeout_s: 30 },
    });
    expect(status).toBe(200);
    expect(body.eval_job).toMatchObject({
      mode: 'push',
      target_url: target,
      target: {
        url: target,
        protocol: 'openai-chat',
        model: 'm',
        concurrency: 2,
        timeout_s: 30,
        header_names: ['authorization', 'cookie'],
      },
      ranked: false,
      charge: { free: true },
    });
    expect(text).not.toContain('very-secret');
    const { runs } = hub.ctx.db.tables;
    const [row] = await hub.ctx.db.query.select().from(runs).where(eq(runs.id, body.eval_job.id));
    expect(JSON.stringify(row)).not.toContain('very-secret');
    expect(decryptHeaders(testSecretKey, row!.targetHeaders!)).toEqual(headers);
  });

  test('a ranked run, and a run that may wait longer than 60 s for a reply, are never free', async () => {
    const agent = await createTestAgent(hub.ctx, { tokens: 1 });
    const ranked = await redeem(agent, { product: 'eval-run', target_url: target, ranked: true });
    expect(ranked.body).toMatchObject({ redemption: { free: false, cost: 1 }, eval_job: { ranked: true } });
    const patient = { product: 'eval-run', target: { url: target, timeout_s: 61 } };
    const poor = await createTestAgent(hub.ctx);
    for (const [order, why] of [
      [patient, 'a run with `timeout_s` above 60 never is (yours has 61).'],
      [{ product: 'eval-run', size: 'long' }, 'a run with `size: long` never is.'],
      [{ product: 'agent-run', ranked: true }, 'a ranked run never is.'],
    ] as const) {
      const refused = await redeem(poor, order);
      expectError(refused, 402, 'insufficient_tokens');
      expect(refused.body.message).toEndWith(`Your first \`${order.product}\` is free, but ${why}`);
    }
    expectError(await redeem(agent, patient), 402, 'insufficient_tokens');
    expect((await redeem(agent)).body.redemption.free).toBe(true);
    const later = await redeem(agent, patient);
    expectError(later, 402, 'insufficient_tokens');
    expect(later.body.message).toBe('This costs 1 token(s), but your balance is 0.');
  });
});
