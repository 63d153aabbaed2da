/** A short form of `npm run long -- fuzz`, with the same requests in every run unless `TEST_SEED` is set. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { runFuzz } from './run-fuzz.ts';

const requestCount = 500;

const seed = fc.readConfigureGlobal().seed ?? Date.now() % 1_000_000_000;

describe.each(['sqlite', 'postgres'] as const)('on %s', (dialect) => {
  test(`${requestCount} requests of seed ${seed} get documented responses and nothing they have no right to`, async () => {
    const report = await runFuzz({ dialect, requests: requestCount, seed, lanes: 1 });
    expect(report.faults).toEqual([]);
    expect(report.memory.map(({ holds }) => holds)).toEqual([true, true]);
    expect(report.sent).toBe(requestCount);
    // Otherwise the requests would be too wild to reach the rules.
    expect(report.byStatus[200]).toBeGreaterThan(requestCount / 5);
  });
});
