/**
 * Every form of forbidden address at both endpoints that accept target URLs: rejected at once, with nothing
 * charged, stored or enqueued. Host names are accepted, but a run against a name that resolves to a forbidden
 * address ends without a call.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { createTestRunner, jobRowOf, readRun } from '#test/harness/eval-runs.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { readStore } from '#test/harness/read-store.ts';
import { openScratchStore, type ScratchStore } from '#test/harness/stores.ts';
import { forbiddenTargets, honestLiterals } from '#test/runtime/guarded-http/support/forbidden-targets.ts';
import { type RawServer, startRawServer } from '#test/runtime/guarded-http/support/raw-server.ts';
import { pushRun } from '#workers/eval-runner/push-run.ts';

let store: ScratchStore;
let hub: TestHub;
let agent: TestAgent;
let canary: RawServer;
beforeAll(async () => {
  store = await openScratchStore('sqlite');
  // As on a public hub: not even loopback is allowed.
  hub = await startTestHub({ store, rules: { targetAddresses: createAddressPolicy([]) } });
  agent = await createTestAgent(hub.ctx, { tokens: 1_000, freeEvalTaken: true });
  canary = await startRawServer(
    (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi'),
  );
});
afterAll(async () => {
  await canary[Symbol.asyncDispose]();
  await hub.close();
  await store.remove();
});

const post = (path: string, json: object) => hub.fetch(path, { token: agent.bearerToken, json });
const redeem = (url: string) => post('/v1/redemptions', { product: 'eval-run', target_url: url });
const register = (url: string) => post('/v1/webhooks', { url, events: ['thread.reply'] });

test('neither endpoint accepts a forbidden address in any form', async () => {
  const literals = forbiddenTargets(canary.port).filter(({ answers }) => answers === undefined);
  expect(literals.length).toBeGreaterThan(1_000);
  const before = await readStore(store.db);
  const wrong: unknown[] = [];
  for (const { url } of literals) {
    for (const door of [redeem, register]) {
      const { status, body } = await door(url);
      if (status !== 400 || body.error !== 'invalid_target_url') wrong.push([url, status, body]);
      // Messages reveal nothing about the hub's own network.
      if (/127\.0\.0\.1|localhost|::1/.test(body.message)) wrong.push([url, body.message]);
    }
  }
  expect(wrong).toEqual([]);
  expect(await readStore(store.db)).toEqual(before);
  expect([hub.published, canary.connections]).toEqual([[], 0]);
});

test('fifty public addresses are accepted', async () => {
  const names = [
    'agent.example',
    'Agent.Example.',
    'xn--bcher-kva.example',
    'bücher.example',
    'localhost.example',
  ];
  const urls = [
    ...honestLiterals().map(({ host }) => `https://${host}/run`),
    ...names.map((host) => `https://${host}/`),
    'http://agent.example:8080/',
    'https://agent.example/?to=http://127.0.0.1/',
    'https://agent.example/@x',
    'HTTPS://AGENT.EXAMPLE',
    'https://127.0.0.1.example/',
    'https://10.example/',
    'https://a.internal.example/',
    'http://agent.example:65535/a%20b?c=d&e=%00#f',
  ];
  expect(urls.length).toBeGreaterThanOrEqual(50);
  for (const url of urls) {
    const { status, body } = await register(url);
    expect([url, status]).toEqual([url, 201]);
    await hub.fetch(`/v1/webhooks/${body.webhook.id}`, { token: agent.bearerToken, method: 'DELETE' });
  }
});

test('a name that resolves to an internal address ends its run refunded, without a call', async () => {
  const names = forbiddenTargets(canary.port).filter(({ answers }) => answers !== undefined);
  const insides = names.filter((_, index) => index % 12 === 0);
  expect(insides.length).toBeGreaterThan(15);
  for (const { url, answers } of insides) {
    const { status, body } = await redeem(url);
    expect([url, status]).toEqual([url, 200]);
    const runner = createTestRunner(hub.ctx, hub.redisUrl, {
      policy: createAddressPolicy([]),
      resolve: () => Promise.resolve(answers![0]!),
    });
    const runId: string = body.eval_job.id;
    await pushRun(runner, { runId, jobId: (await jobRowOf(hub.ctx, runId)).id });
    runner.close();
    const { job, account } = await readRun(hub.ctx, runId);
    expect([url, job.status, job.failureCode, account.balance]).toEqual([
      url,
      'failed',
      'target_blocked',
      1_000,
    ]);
    // An agent may have ten refunded runs a day.
    hub.clock.advance(25 * 60 * 60 * 1_000);
  }
  expect(canary.connections).toBe(0);
});
