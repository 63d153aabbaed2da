/**
 * Short forms of the long commands, which still take minutes: chaos, fuzz, soak, the benchmarks, most of the model, and
 * hostile markup in a browser. `npm run test:long` runs them; `npm test` runs all others. CI runs both.
 */
export const longTests = [
  'test/bench/smoke*.test.ts',
  'test/fuzz/fuzz.test.ts',
  'test/model/model-[2-9].test.ts',
  'test/pages/hostile-markup.test.ts',
  'test/soak/soak.test.ts',
  'test/workers/seats-chaos/seats-chaos.test.ts',
] as const;
