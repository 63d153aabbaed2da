/** A Postgres with a synchronous standby fails over under load. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { findPrimary } from '#db/postgres-hosts.ts';
import { expectKept } from '#test/workload/expect-kept.ts';
import { createMetricsReader } from '#test/harness/metrics.ts';
import { type HubUnderTest, startHubUnderTest } from '#test/workload/hub-under-test.ts';
import type { Outcome } from '#test/workload/witness.ts';
import { postgresFailover } from './faults.ts';
import { runFault } from './run-fault.ts';
import { faultMaxMs, population } from './test-faults.ts';

const workers = [['seats', 'sweeper', 'webhooks']] as const;
const outcomes: Outcome[] = [];
const seed = process.env['FAULT_SEED'] ?? randomBytes(8).toString('hex');
let hub: HubUnderTest;

beforeAll(async () => {
  console.log(`failover of Postgres: FAULT_SEED=${seed}`);
  hub = await startHubUnderTest({ dialect: 'postgres', standby: true, population, workers });
}, faultMaxMs);
afterAll(() => hub?.stop());

test(
  'the hub finds the primary among the hosts, follows and counts a failover, and loses nothing acknowledged',
  async () => {
    const { setting, pair } = hub.store;
    if (pair === null || setting.kind !== 'postgres') throw new Error('The hub has no standby.');
    expect(await findPrimary(setting.url)).not.toBe(pair.standbyUrl);
    await expect(findPrimary(setting.url.replace(/,[^/]+/, ',127.0.0.1:1'))).rejects.toThrow();
    const metrics = createMetricsReader(`${hub.url}/metrics`);
    expect(await metrics.read('hub_database_primary_changes_total')).toBe(0);
    console.log(JSON.stringify(await runFault(hub, postgresFailover, seed, outcomes)));
    expect(await metrics.read('hub_database_primary_changes_total')).toBe(1);
    expect(await findPrimary(setting.url)).toBe(pair.standbyUrl);
  },
  faultMaxMs,
);

test('a former primary that comes back is not used, although it accepts connections', async () => {
  const { setting, pair, db } = hub.store;
  if (pair === null || setting.kind !== 'postgres') throw new Error('The hub has no standby.');
  await pair.restartFormer();
  expect(await findPrimary(setting.url)).toBe(pair.standbyUrl);
  await expectKept(db, outcomes);
});
