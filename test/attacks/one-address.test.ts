/**
 * Six agents call a slow target at `localhost`, and another agent calls the same port at `127.0.0.1`. Both names are one
 * address, whose places are shared in turns. Without turns, the fast run had 1 of its 40 replies after 90 seconds.
 */
import { expect, test } from 'bun:test';
import { redeem } from '#test/harness/eval-runs.ts';
import { onStore } from '#test/harness/stores.ts';
import { startOracle } from '#test/harness/target.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { agentOfNetwork, attackHub, serveAt, timeRun } from './attack-hub.ts';
import { report } from './attack-size.ts';

const slowAgents = 6;
const slowCallMs = 500;
/** The number of calls that one address gets at the same time. */
const placesOfAddress = 8;

onStore('sqlite', (store) => {
  const hub = attackHub(store);

  test('a fast run shares an address with slow ones in turns, whatever name they use for it', async () => {
    const { ctx, startPool } = hub();
    const seeds: string[] = [];
    const oracle = startOracle(() => seeds);
    let slowCalls = 0;
    let mostCalls = 0;
    const server = serveAt('127.0.0.1', async (request) => {
      if (!request.url.endsWith('/slow')) return fetch(oracle.url, request);
      slowCalls += 1;
      mostCalls = Math.max(mostCalls, slowCalls);
      await Bun.sleep(slowCallMs);
      slowCalls -= 1;
      return Response.json({ text: 'late' });
    });
    const fastUrl = `http://127.0.0.1:${server.port}/`;
    const timeFastRun = (network: string) => timeRun(ctx, network, fastUrl, seeds);
    try {
      await startPool('eval-runner');
      // The first run of a process loads code that the others reuse.
      await timeFastRun('warm-up');
      const aloneMs = await timeFastRun('alone');
      for (let index = 0; index < slowAgents; index += 1) {
        const { id } = await agentOfNetwork(ctx, `slow-${index}`);
        await redeem(ctx, id, `http://localhost:${server.port}/slow`);
      }
      await waitUntil(async () => slowCalls === placesOfAddress);
      const besideMs = await timeFastRun('fast');
      report(`${store.dialect}, fast run at an address of slow ones, ms`, {
        alone: aloneMs,
        beside: besideMs,
      });
      // All places are held when the run starts, so it waits for calls to end. Without turns it takes over twenty seconds.
      expect(besideMs).toBeLessThan(3 * aloneMs + 4_000 + 5 * slowCallMs);
      expect(mostCalls).toBeLessThanOrEqual(placesOfAddress);
    } finally {
      await Promise.all([server.stop(true), oracle.stop()]);
    }
  });
});
