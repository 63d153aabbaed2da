/**
 * Tests that would double the processor time of `npm test`: short forms of the long commands (attacks, chaos, crashes,
 * faults, fuzz, soak, benchmarks, most of the model), and a browser that opens every page. `npm run test:long` runs them,
 * and so does CI.
 */
export const longTests = [
  'test/attacks/hanging-receivers.test.ts',
  'test/attacks/hostile-texts.test.ts',
  'test/attacks/one-address.test.ts',
  'test/attacks/slow-targets.test.ts',
  'test/bench/smoke*.test.ts',
  'test/crash/*.test.ts',
  'test/faults/*.test.ts',
  'test/fuzz/fuzz.test.ts',
  'test/model/model-[2-9].test.ts',
  'test/pages/hostile-markup.test.ts',
  'test/site/look-*.test.ts',
  'test/soak/soak.test.ts',
  'test/workers/recovery.test.ts',
  'test/workers/scaling.test.ts',
  'test/workers/seats-chaos/seats-chaos.test.ts',
  'test/workers/seats-race.test.ts',
  'test/workers/stalled-runner.test.ts',
] as const;
