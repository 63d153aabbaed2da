/** A host that has not agreed to calls gets few of them, a short one first, and runs against it complete all the same. */
import { afterEach, beforeAll, expect, test } from 'bun:test';
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
import { createTestRunner, redeemPaid, runToEnd, type TestRunner } from '#test/harness/eval-runs.ts';
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

interface Host {
  readonly url: string;
  readonly seen: readonly Seen[];
  readonly posts: () => readonly Seen[];
  stop(): Promise<void>;
}

/**
 * A host that knows the correct replies.
 * @param consent what it serves as its consent; null for status 404
 */
interface HostBody {
  readonly prompt: string;
  readonly messages?: readonly { readonly role: string; readonly content: string }[];
}

function startHost(seeds: readonly string[], consent: () => Response | null = () => null): Host {
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
  const posts = () => seen.filter(({ path }) => path === '/answer');
  return { url: `http://127.0.0.1:${server.port}/answer`, seen, posts, stop: () => server.stop(true) };
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
  const opened: TestRunner[] = [];
  const hosts: Host[] = [];
  beforeAll(() => {
    const plain = createTestCtx(store.db);
    ctx = {
      ...plain,
      clock: { now: () => new Date() },
      rules: { ...plain.rules, targetAddresses: createAddressPolicy(['loopback']) },
    };
    hurried = { ...ctx, rules: { ...ctx.rules, evalRunSeconds: { free: 2, paid: 2 } } };
  });
  afterEach(async () => {
    for (const runner of opened.splice(0)) runner.close();
    await Promise.all(hosts.splice(0).map((host) => host.stop()));
  });

  function open(options: Parameters<typeof createTestRunner>[2]): TestRunner {
    const runner = createTestRunner(ctx, redis.url, options);
    opened.push(runner);
    return runner;
  }

  function start(...args: Parameters<typeof startHost>): Host {
    const host = startHost(...args);
    hosts.push(host);
    return host;
  }

  async function run(runner: TestRunner, host: Host, seeds: string[]) {
    const { evalRun, runId } = await redeemPaid(ctx, host.url);
    seeds.push(evalRun.suiteSeed);
    return runToEnd(runner, runId);
  }

  test('two processes of a public hub together call it ten times a second; the first call is short and ungraded', async () => {
    const host = start([]);
    const userAgent = userAgentOf({ baseUrl: 'https://hub.test' });
    const processes = [open({ isPublic: true, userAgent }), open({ isPublic: true, userAgent })];
    const sum = { prompt: 'Two and three?', expect: [{ equals: 'five' }] };
    const cases = Array.from({ length: 20 }, () => sum);
    const runs = await Promise.all(
      processes.map(async (runner) => {
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
    const host = start([]);
    const runner = open({ isPublic: true });
    const fetch = () => new Response('Go away', { status: 403 });
    const refusing = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch });
    const failed = await run(runner, { ...host, url: refusing.url.href }, []);
    expect(failed.job).toMatchObject({
      status: 'failed',
      failureCode: 'target_bad_status',
      chargeState: 'refunded',
    });
    expect(failed.job.failureMessage).toContain(
      'The first call to the target failed (1 × target_bad_status;',
    );
    expect(failed.cases).toEqual([]);
    await refusing.stop(true);
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
    const host = start([], consent);
    let named = 0;
    const onNamed = async () => void (named += 1);
    const runner = open({ isPublic: true, did: 'did:key:zMe', onNamed });
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
    const host = start([], () => json({ agents: '*' }));
    const turns = open({ isPublic: true, resolve: () => Promise.resolve(['127.0.0.1']) }).turns(
      () => () => undefined,
    );
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
      const host = start(seeds);
      const { job } = await run(open(options), host, seeds);
      expect([job.status, job.delayedMs]).toEqual(['completed', 0]);
      expect(host.seen.map(({ path }) => path)).not.toContain('/.well-known/agent-hub.json');
      expect(host.posts()[0]!.bytes).not.toBe(0);
    }
  });

  test('probes count', async () => {
    const host = start([]);
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
