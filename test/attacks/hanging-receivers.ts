/** Many webhook receivers never respond. Meanwhile a healthy one gets deliveries, and another one gets many at once. */
import { createTestAgent } from '#test/harness/agents.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { register, tell } from '#test/harness/webhooks.ts';
import type { AttackSize } from './attack-size.ts';
import { type AttackedHub, serveAt } from './attacked-hub.ts';

export interface DeliveryFigures {
  /** The duration of each delivery in milliseconds. */
  readonly alone: readonly number[];
  readonly beside: readonly number[];
  /** The most calls that one destination got in a second, from several agents and processes. */
  readonly mostInASecond: number;
}

const burstAgents = 3;
const burstDeliveries = 10;
/** Below the rate limit of one destination. */
const pauseMs = 160;

/** Starts two processes that deliver webhooks. */
export async function measureDeliveries(hub: AttackedHub, size: AttackSize): Promise<DeliveryFigures> {
  await Promise.all([hub.startPool('webhooks'), hub.startPool('webhooks')]);
  const receivers = new AsyncDisposableStack();
  const serve: typeof serveAt = (hostname, respond) => {
    const server = serveAt(hostname, respond);
    receivers.defer(() => server.stop(true));
    return server;
  };
  try {
    const healthy = await startHealthy(hub, serve);
    // The first delivery of a process loads code that the others reuse.
    await timeDeliveries(healthy, 2);
    const alone = await timeDeliveries(healthy, size.deliveries);
    for (let index = 0; index < size.hangingReceivers; index += 1) {
      const server = serve(`127.0.1.${index + 1}`, () => new Promise<Response>(() => undefined));
      const slow = await createTestAgent(hub.ctx);
      await register(hub.ctx, slow, server.url.href);
      await tell(hub.ctx, slow, 10);
    }
    const beside = await timeDeliveries(healthy, size.deliveries);
    return { alone, beside, mostInASecond: await countBurst(hub, serve) };
  } finally {
    await receivers.disposeAsync();
  }
}

interface Healthy {
  /** Causes a delivery, and waits until it has arrived. */
  deliver(): Promise<void>;
}

async function startHealthy({ ctx }: AttackedHub, serve: typeof serveAt): Promise<Healthy> {
  let arrived = 0;
  const server = serve('127.0.2.1', () => {
    arrived += 1;
    return new Response();
  });
  const agent = await createTestAgent(ctx);
  await register(ctx, agent, server.url.href);
  return {
    deliver: async () => {
      const before = arrived;
      await tell(ctx, agent);
      await waitUntil(async () => arrived > before);
    },
  };
}

async function timeDeliveries(healthy: Healthy, count: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let delivery = 0; delivery < count; delivery += 1) {
    const startedAt = performance.now();
    await healthy.deliver();
    times.push(performance.now() - startedAt);
    await Bun.sleep(Math.max(0, pauseMs - (performance.now() - startedAt)));
  }
  return times;
}

async function countBurst({ ctx }: AttackedHub, serve: typeof serveAt): Promise<number> {
  const times: number[] = [];
  const server = serve('127.0.3.1', () => {
    times.push(performance.now());
    return new Response();
  });
  for (let index = 0; index < burstAgents; index += 1) {
    const agent = await createTestAgent(ctx);
    await register(ctx, agent, `${server.url.href}${index}`);
    await tell(ctx, agent, burstDeliveries);
  }
  await waitUntil(async () => times.length === burstAgents * burstDeliveries);
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 1_000).length));
}
