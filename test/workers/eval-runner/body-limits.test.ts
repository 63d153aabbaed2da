/** Targets that accept bodies of up to 100 kB, as Express does: runs that send more end at once and say so. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { startA2aAgent } from '#test/harness/a2a-agent.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { plainRunSize, redeemPaid, runToEnd, useEvalRunner } from '#test/harness/eval-runs.ts';
import {
  type LimitedServer,
  refusedBody,
  startLimitedServer,
  usualLimitBytes,
} from '#test/harness/limited-server.ts';
import { modelHeaders, startModelServer } from '#test/harness/model-servers.ts';
import { useTestRedis } from '#test/harness/redis.ts';
import { onStore } from '#test/harness/stores.ts';
import { orderSuiteRun, publishTestSuite } from '#test/harness/suites.ts';
import { startTarget, targetAt } from '#test/harness/target.ts';

const protocolNames = ['hub', 'openai-chat', 'openai-responses', 'anthropic-messages', 'a2a'] as const;
type ProtocolName = (typeof protocolNames)[number];

interface Inner {
  readonly url: string;
  stop(): Promise<void>;
}

/** The server behind the limit. */
function startInner(protocol: ProtocolName, outer: string): Inner {
  if (protocol === 'hub') return startTarget(() => 'hello');
  if (protocol !== 'a2a') return startModelServer(protocol);
  const agent = startA2aAgent({ interfaceOrigin: outer });
  return { url: agent.origin, stop: () => agent.stop() };
}

const redis = useTestRedis();

/** What an agent reads, whose figures are those of the request. */
function refusal(bytes: number): string {
  return `The target refused the request of ${bytes.toLocaleString('en')} bytes with status 413, because it accepts only shorter bodies. Raise its limit, for example in Express with \`express.json({ limit: '1mb' })\` before other body parsers.`;
}

onStore('sqlite', (store) => {
  const { ctx, runner } = useEvalRunner(store, redis);
  let ada: TestAgent;
  beforeAll(async () => {
    ada = await createTestAgent(ctx, { tokens: 50 });
    const prompts = ['One.', 'long '.repeat(24_000), 'Three.', 'Four.', 'Five.'];
    const cases = prompts.map((prompt, index) => ({ id: `c${index}`, prompt, expect: [{ matches: '.' }] }));
    await publishTestSuite(actingAs(ctx, ada), { suite: 1, name: 'long', cases });
    const fits = { id: 'fits', prompt: 'x'.repeat(100_000), expect: [{ matches: '.' }] };
    await publishTestSuite(actingAs(ctx, ada), { suite: 1, name: 'fits', cases: [fits] });
  });

  async function behindLimit<T>(
    protocol: ProtocolName,
    work: (url: string, outer: LimitedServer) => Promise<T>,
  ): Promise<T> {
    let origin = '';
    const outer = startLimitedServer(() => origin);
    const inner = startInner(protocol, outer.origin);
    const { origin: innerOrigin, pathname } = new URL(inner.url);
    origin = innerOrigin;
    try {
      return await work(`${outer.origin}${pathname}`, outer);
    } finally {
      await inner.stop();
      await outer.stop();
    }
  }

  async function runSuite(url: string, protocol: ProtocolName, name = 'long') {
    const target = targetAt(url, { protocol, model: 'm-1', headers: modelHeaders });
    const { id } = await orderSuiteRun(actingAs(ctx, ada), `@${ada.handle}/${name}`, { target });
    return runToEnd(runner, id);
  }

  test.each(protocolNames)('a prompt of nearly 100 kB is not doubled, over %s', (protocol) =>
    behindLimit(protocol, async (url) => {
      const { job } = await runSuite(url, protocol, 'fits');
      expect(job).toMatchObject({ status: 'completed', score: 100 });
    }),
  );

  describe('a case that is too long for the target', () => {
    test.each(protocolNames)('ends the run at once with a refund and the way out, over %s', (protocol) =>
      behindLimit(protocol, async (url, outer) => {
        const { job } = await runSuite(url, protocol);
        const bytes = Math.max(...outer.sizes);
        expect(bytes).toBeGreaterThan(usualLimitBytes);
        expect(job.failureMessage).toBe(
          `${refusal(bytes)} That ended the run before its first case. The run was refunded.`,
        );
        expect(job).toMatchObject({
          progressDone: 0,
          status: 'failed',
          chargeState: 'refunded',
          failureCode: 'target_bad_status',
          failureCause: { status: 413, excerpt: expect.stringContaining('PayloadTooLargeError') },
        });
      }),
    );

    test('ends the run when it shows only later', async () => {
      await using target = startTarget(() => (target.calls.length === 4 ? tooLarge() : 'hello'));
      const { runId } = await redeemPaid(ctx, target.url);
      const { job } = await runToEnd(runner, runId);
      expect(job).toMatchObject({ status: 'failed', chargeState: 'refunded', failureCause: { status: 413 } });
      const message = new RegExp(`That ended the run after \\d of ${plainRunSize} cases\\.`);
      expect(job.failureMessage).toMatch(message);
    });

    test('does not end a ranked run, which counts even if its target fails', async () => {
      await using target = startTarget(() => (target.calls.length === 4 ? tooLarge() : 'hello'));
      const { runId } = await redeemPaid(ctx, target.url, { ranked: true });
      const { job, cases } = await runToEnd(runner, runId);
      expect(job).toMatchObject({ status: 'completed', chargeState: 'consumed', progressDone: plainRunSize });
      const inError = cases.filter(({ result }) => result.status === 'error');
      const shown = { status: 413, excerpt: refusedBody };
      expect(inError.map(({ result }) => result.error_response)).toEqual([shown]);
    });
  });
});

function tooLarge(): Response {
  return new Response(refusedBody, { status: 413 });
}
