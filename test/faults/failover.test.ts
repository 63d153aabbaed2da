/**
 * Failovers of a Redis Cluster, and in the long form of a Redis behind Sentinels: one unless `FAILOVERS` says otherwise. A
 * failure prints the seed; `FAULT_SEED` replays the choices.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { createRandom } from '#evals/random.ts';
import { type SlotWatch, watchSlots } from '#test/harness/watch-slots.ts';
import { type HubUnderTest, startHubUnderTest } from '#test/workload/hub-under-test.ts';
import type { Outcome } from '#test/workload/witness.ts';
import { failoverFaults } from './faults.ts';
import { runFault } from './run-fault.ts';
import { briefDialects } from './test-faults.ts';

const isLong = process.env['FAULTS'] === 'all';
const count = Number(process.env['FAILOVERS'] ?? (isLong ? '8' : '1'));
const faultMaxMs = 120_000;
const population = {
  agentCount: 40,
  tokens: 500,
  subscriberCount: 5,
  eventCount: 4,
  seatsTotal: 30,
  officeCount: 2,
  threadCount: 1,
};
const workers = [['seats', 'sweeper', 'webhooks', 'mail', 'eval-runner']] as const;

const kinds = isLong ? (['sentinel', 'cluster'] as const) : (['cluster'] as const);

for (const redisKind of kinds) {
  for (const dialect of briefDialects) {
    describe(`a hub on ${dialect} and a Redis ${redisKind}`, () => {
      const seed = process.env['FAULT_SEED'] ?? randomBytes(8).toString('hex');
      const random = createRandom(seed, 'failovers');
      const faults = failoverFaults(random);
      const outcomes: Outcome[] = [];
      let hub: HubUnderTest;
      let watch: SlotWatch;
      beforeAll(async () => {
        console.log(`failovers on ${dialect} and ${redisKind}: FAULT_SEED=${seed} FAILOVERS=${count}`);
        hub = await startHubUnderTest({ dialect, redisKind, population, workers });
        watch = watchSlots(hub.redis.replicated?.servers ?? []);
      }, faultMaxMs);
      afterAll(async () => {
        watch?.stop();
        await hub?.stop();
      });

      test(
        'loses and duplicates nothing in failovers, and recovers',
        async () => {
          for (let turn = 0; turn < count; turn += 1)
            console.log(
              JSON.stringify(await runFault(hub, random.pick(faults), `${seed}-${turn}`, outcomes)),
            );
        },
        count * faultMaxMs,
      );

      test.if(redisKind === 'cluster')('has used keys of one slot in each script', () => {
        expect(watch.commandsOfScripts()).toBeGreaterThan(100);
        expect(watch.crossings).toEqual([]);
      });
    });
  }
}
