/**
 * Many agents evaluate targets that take 25 seconds for each reply, half of them at one address and the others each at
 * an address of its own, against two runner processes. The run of another agent takes at most three times as long as
 * alone, plus two seconds, whether the slow agents signed up from one network or from many. It took more than a minute
 * before slots were shared fairly.
 */
import { expect, test } from 'bun:test';
import { onStore } from '#test/harness/stores.ts';
import { redeem } from '#test/harness/eval-runs.ts';
import { startOracle } from '#test/harness/target.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { agentOfNetwork, attackHub, serveAt, type TestServer, timeRun } from './attack-hub.ts';
import { attackSize, report } from './attack-size.ts';

onStore('sqlite', (store) => {
  const hub = attackHub(store);

  test('a fast run is not delayed by many slow ones, from one network and then from many more', async () => {
    const { ctx, startPool } = hub();
    const seeds: string[] = [];
    await using fast = startOracle(() => seeds);
    const timeFastRun = (network: string) => timeRun(ctx, network, fast.url, seeds);
    await using slow = new SlowTargets();
    await Promise.all([startPool('eval-runner'), startPool('eval-runner')]);
    // The first run of a process loads code that the others reuse.
    await timeFastRun('warm-up');
    const aloneMs = await timeFastRun('alone');
    const besideMs: Record<string, number> = {};
    const crowds = { one: () => 'crowd', many: (index: number) => `network-${index}` };
    for (const [name, networkOf] of Object.entries(crowds)) {
      const callsBefore = slow.calls;
      for (let index = 0; index < attackSize.slowAgents; index += 1) {
        const { id } = await agentOfNetwork(ctx, networkOf(index));
        await redeem(ctx, id, slow.urlFor(index));
      }
      // The targets with an address of their own are being called.
      await waitUntil(async () => slow.calls - callsBefore >= attackSize.slowAgents / 4);
      besideMs[`${name}, of another network`] = await timeFastRun(`other-${name}`);
      besideMs[`${name}, of the same network`] = await timeFastRun(networkOf(0));
      // By now, the runners have started all the runs that they can.
      await Bun.sleep(attackSize.settledMs);
      besideMs[`${name}, later`] = await timeFastRun(`late-${name}`);
    }
    report(`${store.dialect}, fast run beside slow ones, ms`, { alone: aloneMs, ...besideMs });
    expect(Math.max(...Object.values(besideMs))).toBeLessThan(3 * aloneMs + 2_000);
  });
});

class SlowTargets {
  readonly #servers: TestServer[] = [];
  readonly #shared = this.#open('127.1.0.1');
  calls = 0;

  /** Every second target has an address of its own. */
  urlFor(index: number): string {
    if (index % 2 === 0) return this.#shared;
    return this.#open(`127.2.${this.#servers.length >> 8}.${this.#servers.length & 255}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.stop(true)));
  }

  #open(hostname: string): string {
    const server = serveAt(hostname, async () => {
      this.calls += 1;
      await Bun.sleep(attackSize.slowCallMs);
      return Response.json({ text: 'late' });
    });
    this.#servers.push(server);
    return server.url.href;
  }
}
