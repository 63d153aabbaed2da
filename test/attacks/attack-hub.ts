/** The hub that the tests attack: its own Redis, and processes as operators start them. */
import { afterAll } from 'bun:test';
import type { Ctx } from '#domain/context.ts';
import { systemClock } from '#runtime/clock.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { startApiProcess } from '#test/harness/api-process.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { redeem } from '#test/harness/eval-runs.ts';
import { changeRows, rowOf } from '#test/harness/rows.ts';
import type { TestStore } from '#test/harness/stores.ts';
import { useTransport } from '#test/harness/transport.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { startWorkerProcess } from '#test/harness/worker-process.ts';

export type AttackedHub = ReturnType<ReturnType<typeof attackHub>>;

/** Starts and stops with the group of tests. @returns the hub, inside tests */
export function attackHub(store: Pick<TestStore, 'db' | 'setting'>) {
  const running: { end(signal: 'SIGKILL'): Promise<unknown> }[] = [];
  afterAll(() => Promise.all(running.map((one) => one.end('SIGKILL'))));
  // Stops after them.
  const transport = useTransport();
  return () => {
    const stores = { database: store.setting, redisUrl: transport.redisUrl };
    return {
      ctx: { ...createTestCtx(store.db), clock: systemClock, publisher: transport.publisher },
      /** Starts a worker process with one pool. */
      startPool: async (pool: 'eval-runner' | 'webhooks') => {
        const settings = { EVAL_CALL_TIMEOUT_MS: '30000', CONTACT_TO: 'team@hub.example' };
        running.push(await startWorkerProcess([pool], stores, settings));
      },
      /** Starts an API process without rate limits. @returns its URL */
      startApi: async () => {
        const api = await startApiProcess(stores, { CONTACT_TO: 'team@hub.example' });
        running.push(api);
        return api.url;
      },
    };
  };
}

/** An agent that signed up from this network. */
export async function agentOfNetwork(ctx: Ctx, network: string): Promise<TestAgent> {
  const agent = await createTestAgent(ctx);
  await changeRows(ctx, 'agents', { id: agent.id }, { network });
  return agent;
}

/** Evaluates an oracle for these seeds, which get one more. @returns the duration of the run in milliseconds */
export async function timeRun(ctx: Ctx, network: string, url: string, seeds: string[]): Promise<number> {
  const { id } = await agentOfNetwork(ctx, network);
  const startedAt = performance.now();
  const { evalRun } = await redeem(ctx, id, url);
  seeds.push(evalRun.suiteSeed);
  await waitUntil(async () => (await rowOf(ctx, 'runs', { id: evalRun.id })).status === 'completed');
  return performance.now() - startedAt;
}

export type TestServer = ReturnType<typeof serveAt>;

/** At an address of its own, like a real server. */
export function serveAt(hostname: string, respond: (request: Request) => Response | Promise<Response>) {
  return Bun.serve({ hostname, port: 0, fetch: respond, idleTimeout: 60 });
}
