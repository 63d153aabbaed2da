/** A host that has not agreed to calls gets few of them, a short one first, and runs against it complete all the same. */
import { beforeAll, expect, test } from 'bun:test';
import packageJson from '../../../package.json' with { type: 'json' };
import type { Ctx } from '#domain/context.ts';
import { createProbes } from '#api/probes.ts';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { userAgentOf } from '#runtime/guarded-http/user-agent.ts';
import { connectProducer } from '#runtime/redis/redis.ts';
import { bytesPerSecondMax, callsPerSecondMax } from '#runtime/turns/destinations.ts';
import { prepareProbe } from '#domain/targets/prepare-probe.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { openAnswerBook } from '#test/harness/answer-book.ts';
import { actingAs, createTestCtx } from '#test/harness/ctx.ts';
import { createTestRunner, redeemPaid, runToEnd } from '#test/harness/eval-runs.ts';
import { useTestRedis } from '#test/harness/redis.ts';
import { silentLogger as logger } from '#test/harness/silent-logger.ts';
import { onStore } from '#test/harness/stores.ts';
import { orderSuiteRun, publishTestSuite } from '#test/harness/suites.ts';
import { targetAt } from '#test/harness/target.ts';

interface Seen {
  readonly at: number;
  readonly path: string;
  readonly bytes: number;
  readonly userAgent: string | null;
}

interface HostBody {
  readonly prompt: string;
  readonly messages?: readonly { readonly role: string; readonly content: string }[];
}

/**
 * A host that knows the correct replies.
 * @param consent what it serves as its consent; null for status 404
 */
function startHost(seeds: readonly string[] = [], consent: () => Response | null = () => null) {
  const seen: Seen[] = [];
  const book = openAnswerBook(() => seeds);
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      const at = performance.now();
      const { pathname: path } = new URL(request.url);
      const body = await request.text();
      seen.push({ at, path, bytes: body.length, userAgent: request.headers.get('user-agent') });
      if (path === '/.well-known/agent-hub.json') return consent() ?? new Response('no', { status: 404 });
      const { prompt, messages = [{ role: 'user', content: prompt }] } = JSON.parse(body) as HostBody;
      const prompts = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
      return Response.json({ text: book.find(prompts)?.best ?? 'five' });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/answer`,
    seen,
    posts: () => seen.filter(({ path }) => path === '/answer'),
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

function most(seen: readonly Seen[], of: (one: Seen) => number): number {
  const inSecond = (from: number) => seen.filter(({ at }) => at >= from && at < from + 1_000);
  return Math.max(...seen.map(({ at }) => inSecond(at).reduce((sum, one) => sum + of(one), 0)));
}

const redis = useTestRedis();

onStore('sqlite', (store) => {
  let ctx: Ctx;
  /** Its free runs end after 2 seconds, without the time for which their calls were delayed. */
  let hurried: Ctx;
  beforeAll(() => {
    const plain = createTestCtx(store.db);
    ctx = {
      ...plain,
      clock: { now: () => new Date() },
      rules: { ...plain.rules, targetAddresses: createAddressPolicy(['loopback']) },
    };
    hurried = { ...ctx, rules: { ...ctx.rules, evalRunSeconds: { free: 2, paid: 2 } } };
  });

  const open = (options: Parameters<typeof createTestRunner>[2]) => createTestRunner(ctx, redis.url, options);

  test('two processes of a public hub together call it ten times a second; the first call is short and ungraded', async () => {
    await using host = startHost();
    const userAgent = userAgentOf({ baseUrl: 'https://hub.test' });
    using one = open({ isPublic: true, userAgent });
    using other = open({ isPublic: true, userAgent });
    const sum = { prompt: 'Two and three?', expect: [{ equals: 'five' }] };
    const cases = Array.from({ length: 20 }, () => sum);
    const runs = await Promise.all(
      [one, other].map(async (runner) => {
        const as = actingAs(ctx, await createTestAgent(ctx));
        await publishTestSuite(as, { suite: 1, name: 'sums', cases });
        const { id } = await orderSuiteRun(as, `@${as.agent.handle}/sums`, { targetUrl: host.url });
        return runToEnd({ ...runner, ctx: hurried }, id);
      }),
    );
    for (const { job, cases: stored } of runs) {
      expect([job.failureMessage, job.status]).toEqual([null, 'completed']);
      expect(stored).toHaveLength(cases.length);
      expect(job.delayedMs).toBeGreaterThan(1_000);
    }
    expect(most(host.seen, () => 1)).toBeLessThanOrEqual(callsPerSecondMax);
    expect(most(host.seen, ({ bytes }) => bytes)).toBeLessThanOrEqual(bytesPerSecondMax);
    // Cases of the run that begins first may come before the first call of the other.
    const [first] = host.posts();
    expect(first!.bytes).toBeLessThan(4_000);
    expect(host.seen[0]!.path).toBe('/.well-known/agent-hub.json');
    const wanted = `agent-hub/${packageJson.version} (+https://hub.test/calls)`;
    expect(new Set(host.seen.map((one) => one.userAgent))).toEqual(new Set([wanted]));
  });

  test('a host that refuses the first call gets no other, and the run is refunded', async () => {
    using runner = open({ isPublic: true });
    const fetch = () => new Response('Go away', { status: 403 });
    await using refusing = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch });
    const failed = await runToEnd(runner, (await redeemPaid(ctx, refusing.url.href)).runId);
    expect(failed.job).toMatchObject({
      status: 'failed',
      failureCode: 'target_bad_status',
      chargeState: 'refunded',
    });
    expect(failed.job.failureMessage).toContain(
      'The first call to the target failed (1 × target_bad_status;',
    );
    expect(failed.cases).toEqual([]);
  });

  const json = (value: unknown, init: ResponseInit = {}) => Response.json(value, init);
  const asType = (type: string): ResponseInit => ({ headers: { 'content-type': type } });
  test.each([
    ['every agent', () => json({ agents: '*' }), true, false],
    ['every agent in a list', () => json({ agents: ['*'] }), true, false],
    ['the agent', () => json({ agents: ['did:key:zOther', 'did:key:zMe'] }), true, true],
    ['another agent', () => json({ agents: ['did:key:zOther'] }), false, false],
    ['nobody', () => json({ agents: [] }), false, false],
    ['with a redirect', () => Response.redirect('/elsewhere', 302), false, false],
    ['as text', () => new Response('{"agents":"*"}', asType('text/plain')), false, false],
    ['with another status', () => json({ agents: '*' }, { status: 203 }), false, false],
    ['in a form that is not JSON', () => new Response('{', asType('application/json')), false, false],
  ] as const)('an origin that agrees to the calls of %s', async (_, consent, agrees, names) => {
    await using host = startHost([], consent);
    let named = 0;
    const onNamed = async () => void (named += 1);
    using runner = open({ isPublic: true, did: 'did:key:zMe', onNamed });
    const turns = runner.turns(() => () => undefined);
    const call = { origin: new URL(host.url).origin, host: '127.0.0.1', bytes: 100 };
    const address = new URL(host.url).host;
    const first = turns.takeFirstSlot(address, undefined, call);
    if (agrees) await expect(first).rejects.toThrow();
    else (await first)();
    // It is remembered.
    (await turns.takeSlot(address, undefined, call))();
    expect(host.seen).toHaveLength(1);
    expect(named).toBe(names ? 1 : 0);
  });

  test('a consent holds for the address that gave it', async () => {
    await using host = startHost([], () => json({ agents: '*' }));
    using runner = open({ isPublic: true, resolve: () => Promise.resolve(['127.0.0.1']) });
    const turns = runner.turns(() => () => undefined);
    const { port } = new URL(host.url);
    const call = { origin: `http://moving.test:${port}`, host: 'moving.test', bytes: 100 };
    await expect(turns.takeFirstSlot(`127.0.0.1:${port}`, undefined, call)).rejects.toThrow();
    const leave = await turns.takeFirstSlot(`127.0.0.2:${port}`, undefined, call);
    leave();
    expect(host.seen).toHaveLength(1);
  });

  test('hosts that the operator exempts, and loopback of a private hub, are called without asking', async () => {
    for (const options of [{ isPublic: false }, { isPublic: true, consentedHosts: ['127.0.0.1'] }]) {
      const seeds: string[] = [];
      await using host = startHost(seeds);
      using runner = open(options);
      const { evalRun, runId } = await redeemPaid(ctx, host.url);
      seeds.push(evalRun.suiteSeed);
      const { job } = await runToEnd(runner, runId);
      expect([job.status, job.delayedMs]).toEqual(['completed', 0]);
      expect(host.seen.map(({ path }) => path)).not.toContain('/.well-known/agent-hub.json');
      expect(host.posts()[0]!.bytes).not.toBe(0);
    }
  });

  test('probes count', async () => {
    await using host = startHost();
    const connection = connectProducer(redis.url, logger);
    const { targetAddresses } = ctx.rules;
    const calls = { evalCallTimeoutMs: 5_000, isPublic: true, consentedHosts: [] };
    const settings = { ...calls, baseUrl: 'https://hub.test' };
    const probes = createProbes({ redis: connection, logger, settings, targetAddresses });
    const agents = [await createTestAgent(ctx), await createTestAgent(ctx)];
    const target = targetAt(host.url, { concurrency: 4 });
    const sent = await Promise.all(
      Array.from({ length: 12 }, async (_, index) =>
        probes.send(
          await prepareProbe(actingAs(ctx, agents[index % 2]!), target),
          new AbortController().signal,
        ),
      ),
    );
    expect(sent.map(({ ok }) => ok)).not.toContain(false);
    expect(most(host.seen, () => 1)).toBeLessThanOrEqual(callsPerSecondMax);
    probes.close();
    connection.disconnect();
  });
});
