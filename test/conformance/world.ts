/** A hub with everything the checks need: agents, seats, mail, a payment provider and a runner. */
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { createTestRunner, jobRowOf, redeem } from '#test/harness/eval-runs.ts';
import { startTestSeats } from '#test/harness/events.ts';
import { everythingConfigured } from '#test/harness/everything-configured.ts';
import { startTestHub, type TestHub, type TestRequest, type TestResponse } from '#test/harness/hub.ts';
import { startMailPool } from '#test/harness/mail-pool.ts';
import { startTestSmtpServer, type TestSmtpServer } from '#test/harness/smtp.ts';
import type { TestStore } from '#test/harness/stores.ts';
import { startOracle } from '#test/harness/target.ts';
import { pushRun } from '#workers/eval-runner/push-run.ts';

export interface World {
  readonly hub: TestHub;
  /** A hub with no optional feature enabled. */
  readonly bareHub: TestHub;
  readonly demoHub: TestHub;
  readonly smtp: TestSmtpServer;
  /** Has tokens, like every agent created here. */
  readonly ada: TestAgent;
  readonly maintainer: TestAgent;
  readonly newAgent: (tokens?: number) => Promise<TestAgent>;
  /** Sends a request as an agent or anonymously: GET without a body, POST with one. */
  readonly ask: (
    agent: TestAgent | null,
    path: string,
    json?: object,
    request?: TestRequest,
  ) => Promise<TestResponse>;
  /** A client address that has not been used yet. */
  readonly newNetwork: () => string;
  /** The id of a completed eval run of an agent. */
  readonly completeEval: (agent: TestAgent) => Promise<string>;
  /** The payment provider's response. Checks that change it restore it. */
  readonly provider: { answer: () => Response };
  readonly close: () => Promise<void>;
}

export async function createWorld(store: TestStore): Promise<World> {
  const maintainerDids = new Set<string>();
  const provider = { answer: () => Response.json({ url: 'https://pay.example/session' }) };
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => provider.answer() });
  const settings = {
    ...everythingConfigured,
    checkoutApiUrl: server.url.href,
    trustedProxies: ['127.0.0.0/8'],
  };
  const hub = await startTestHub({ store, settings, rules: { maintainerDids } });
  const { redisUrl, clock } = hub;
  const bareHub = await startTestHub({ store, redisUrl, clock });
  const demoHub = await startTestHub({ store, redisUrl, clock, demo: true });
  const seats = await startTestSeats(hub.ctx, redisUrl);
  const smtp = await startTestSmtpServer();
  const mailPool = startMailPool([hub], { smtpUrl: smtp.url });
  const runner = createTestRunner(hub.ctx, redisUrl);
  const seeds: string[] = [];
  const oracle = startOracle(() => seeds);
  const newAgent = (tokens = 100): Promise<TestAgent> => createTestAgent(hub.ctx, { tokens });
  const maintainer = await createTestAgent(hub.ctx, { handle: 'maintainer' });
  maintainerDids.add(maintainer.did);
  let networks = 0;
  return {
    hub,
    bareHub,
    demoHub,
    smtp,
    provider,
    ada: await createTestAgent(hub.ctx, { handle: 'ada', tokens: 100 }),
    maintainer,
    newAgent,
    ask: (agent, path, json, request) => {
      clock.advance(1); // Lists are sorted newest first.
      return hub.fetch(path, {
        ...(agent === null ? {} : { token: agent.bearerToken }),
        ...(json === undefined ? {} : { json }),
        ...request,
      });
    },
    newNetwork: () => {
      networks += 1;
      return `198.51.100.${networks}`;
    },
    completeEval: async (agent) => {
      const { evalRun } = await redeem(hub.ctx, agent.id, oracle.url);
      seeds.push(evalRun.suiteSeed);
      const row = await jobRowOf(hub.ctx, evalRun.id);
      await pushRun(runner, { runId: evalRun.id, jobId: row.id });
      return evalRun.id;
    },
    close: async () => {
      runner.close();
      await mailPool.stop();
      await seats.stop();
      for (const each of [demoHub, bareHub, hub]) await each.close();
      await smtp.close();
      await oracle.stop();
      await server.stop(true);
    },
  };
}
