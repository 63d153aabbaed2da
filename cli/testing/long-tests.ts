/**
 * Tests that would add a third to the time of `npm test`: short forms of the long commands (chaos, crashes, fuzz, soak,
 * benchmarks, most of the model), and a browser that opens every page. `npm run test:long` runs them, and so does CI.
 */
export const longTests = [
  'test/bench/smoke*.test.ts',
  'test/crash/*crash*.test.ts',
  'test/fuzz/fuzz.test.ts',
  'test/model/model-[2-9].test.ts',
  'test/pages/hostile-markup.test.ts',
  'test/site/look-*.test.ts',
  'test/soak/soak.test.ts',
  'test/workers/seats-chaos/seats-chaos.test.ts',
] as const;
