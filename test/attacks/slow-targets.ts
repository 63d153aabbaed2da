/**
 * Many agents evaluate targets that take 25 seconds for each reply, half of them at one address and the others each at
 * an address of its own. Meanwhile another agent starts a run.
 */
import { eq } from 'drizzle-orm';
import { redeem } from '#test/harness/eval-runs.ts';
import { startOracle, type TestTarget } from '#test/harness/target.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { type AttackedHub, agentOfNetwork, serveAt, type TestServer } from './attacked-hub.ts';
import type { AttackSize } from './attack-size.ts';

export interface SlowTargetFigures {
  readonly aloneMs: number;
  /** A run of another agent, by when and from where it was started. */
  readonly besideMs: Readonly<Record<string, number>>;
}

/** How long a run of another agent may take while the slow ones run. */
export function allowedMs({ aloneMs }: SlowTargetFigures): number {
  return 3 * aloneMs + 2_000;
}

/** Starts two runner processes. */
export async function measureSlowTargets(hub: AttackedHub, size: AttackSize): Promise<SlowTargetFigures> {
  await Promise.all([hub.startPool('eval-runner'), hub.startPool('eval-runner')]);
  const seeds: string[] = [];
  const fast = startOracle(() => seeds);
  const slow = new SlowTargets(size.slowCallMs);
  try {
    return await measure({ hub, size, seeds, fast, slow });
  } finally {
    await Promise.all([slow.stop(), fast.stop()]);
  }
}

class SlowTargets {
  readonly #servers: TestServer[] = [];
  readonly #callMs: number;
  readonly #shared: string;
  calls = 0;

  constructor(callMs: number) {
    this.#callMs = callMs;
    this.#shared = this.#open('127.1.0.1');
  }

  /** Every second target has an address of its own. */
  urlFor(index: number): string {
    if (index % 2 === 0) return this.#shared;
    return this.#open(`127.2.${this.#servers.length >> 8}.${this.#servers.length & 255}`);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.stop(true)));
  }

  #open(hostname: string): string {
    const server = serveAt(hostname, async () => {
      this.calls += 1;
      await Bun.sleep(this.#callMs);
      return Response.json({ text: 'late' });
    });
    this.#servers.push(server);
    return server.url.href;
  }
}

interface Scene {
  readonly hub: AttackedHub;
  readonly size: AttackSize;
  readonly seeds: string[];
  readonly fast: TestTarget;
  readonly slow: SlowTargets;
}

async function measure(scene: Scene): Promise<SlowTargetFigures> {
  const { hub, size, slow } = scene;
  // The first run of a process loads code that the others reuse.
  await timeFastRun(scene, 'warm-up');
  const aloneMs = await timeFastRun(scene, 'alone');
  const besideMs: Record<string, number> = {};
  const crowds = { one: () => 'crowd', many: (index: number) => `network-${index}` };
  for (const [name, networkOf] of Object.entries(crowds)) {
    const callsBefore = slow.calls;
    for (let index = 0; index < size.slowAgents; index += 1) {
      const { id } = await agentOfNetwork(hub.ctx, networkOf(index));
      await redeem(hub.ctx, id, slow.urlFor(index));
    }
    // The targets with an address of their own are being called.
    await waitUntil(async () => slow.calls - callsBefore >= size.slowAgents / 4);
    besideMs[`${name}, of another network`] = await timeFastRun(scene, `other-${name}`);
    besideMs[`${name}, of the same network`] = await timeFastRun(scene, networkOf(0));
    // By now, the runners have started all the runs that they can.
    await Bun.sleep(size.settledMs);
    besideMs[`${name}, later`] = await timeFastRun(scene, `late-${name}`);
  }
  return { aloneMs, besideMs };
}

async function timeFastRun({ hub: { ctx }, seeds, fast }: Scene, network: string): Promise<number> {
  const { id } = await agentOfNetwork(ctx, network);
  const { runs } = ctx.db.tables;
  const startedAt = performance.now();
  const { evalRun } = await redeem(ctx, id, fast.url);
  seeds.push(evalRun.suiteSeed);
  await waitUntil(async () => {
    const [job] = await ctx.db.query
      .select({ status: runs.status })
      .from(runs)
      .where(eq(runs.id, evalRun.id));
    return job?.status === 'completed';
  });
  return performance.now() - startedAt;
}
