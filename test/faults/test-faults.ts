/** Rows of the table of faults, one after the other on one hub. A failure names the seed; `FAULT_SEED` replays it. */
import { afterAll, beforeAll, describe, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import type { Dialect } from '#db/database.ts';
import type { Outcome } from '#test/crash/client.ts';
import { bothStores, type Fault } from './fault.ts';
import { runFault } from './run-fault.ts';
import { buildFaultWorld, type FaultWorld, type WorldOptions } from './world.ts';

const faultMaxMs = 120_000;

/** Faults that are not of a store are shown on one in every run, and by `npm run faults` on both. */
export const briefDialects: readonly Dialect[] = process.env['FAULTS'] === 'all' ? bothStores : ['sqlite'];

export function testFaults(dialect: Dialect, faults: readonly Fault[], options: WorldOptions = {}): void {
  describe(`on ${dialect}, callers are answered as documented and in time, nothing acknowledged is lost or doubled, and all goes on after`, () => {
    const seed = process.env['FAULT_SEED'] ?? randomBytes(8).toString('hex');
    const outcomes: Outcome[] = [];
    let world: FaultWorld | undefined;
    beforeAll(async () => {
      console.log(`faults on ${dialect}: FAULT_SEED=${seed}`);
      world = await buildFaultWorld(dialect, options);
    }, faultMaxMs);
    afterAll(() => world?.stop());
    for (const fault of faults.filter(({ dialects }) => dialects.includes(dialect))) {
      test(
        fault.name,
        async () => {
          if (world === undefined) throw new Error('There is no hub to trouble.');
          console.log(JSON.stringify(await runFault(world, fault, seed, outcomes)));
        },
        faultMaxMs,
      );
    }
  });
}
