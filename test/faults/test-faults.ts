/** Runs faults one after another on one hub. A failure prints the seed; `FAULT_SEED` replays it. */
import { afterAll, beforeAll, describe, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import type { Dialect } from '#db/dialect.ts';
import {
  type HubUnderTest,
  type HubUnderTestOptions,
  startHubUnderTest,
} from '#test/workload/hub-under-test.ts';
import type { Outcome } from '#test/workload/witness.ts';
import { bothStores, type Fault } from './faults.ts';
import { runFault } from './run-fault.ts';

export const faultMaxMs = 240_000;
export const population = {
  agentCount: 40,
  tokens: 500,
  subscriberCount: 1,
  eventCount: 2,
  seatsTotal: 30,
  threadCount: 1,
};

/** `npm run long -- faults` runs the faults that do not depend on the store on both. */
export const briefDialects: readonly Dialect[] = process.env['FAULTS'] === 'all' ? bothStores : ['sqlite'];

/** The number of times that each fault is tested on the same hub. */
const rounds = Number(process.env['FAULT_ROUNDS'] ?? '1');

export function testFaults(
  dialect: Dialect,
  faults: readonly Fault[],
  options: Partial<HubUnderTestOptions> = {},
): void {
  describe(`on ${dialect}, responses are documented and in time, nothing acknowledged is lost or doubled, and the hub recovers`, () => {
    const seed = process.env['FAULT_SEED'] ?? randomBytes(8).toString('hex');
    const outcomes: Outcome[] = [];
    let hub: HubUnderTest | undefined;
    beforeAll(async () => {
      console.log(`faults on ${dialect}: FAULT_SEED=${seed}`);
      const workers = [['seats', 'sweeper', 'webhooks']] as const;
      hub = await startHubUnderTest({ dialect, population, workers, gates: true, ...options });
    }, faultMaxMs);
    afterAll(() => hub?.stop());
    const own = faults.filter(({ dialects }) => dialects.includes(dialect));
    for (let round = 1; round <= rounds; round += 1) {
      const seedOfRound = round === 1 ? seed : `${seed}-${round}`;
      for (const fault of own) {
        test(
          round === 1 ? fault.disturbance.name : `${fault.disturbance.name}, round ${round}`,
          async () => {
            if (hub === undefined) throw new Error('The hub did not start.');
            console.log(JSON.stringify(await runFault(hub, fault, seedOfRound, outcomes)));
          },
          faultMaxMs,
        );
      }
    }
  });
}
