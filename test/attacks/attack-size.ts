const isFull = process.env['ATTACKS'] === 'full';

/** The size of the first measurements (`npm run attacks`), or of the tests. */
export const attackSize = isFull
  ? {
      slowAgents: 200,
      slowCallMs: 25_000,
      /** How long the slow runs continue before the last fast one starts. */
      settledMs: 10_000,
      hangingReceivers: 100,
      deliveries: 60,
      quantile: 0.99,
      threads: 150_000,
      searchMs: 20_000,
      /** The number of callers that search at the same time. */
      searchers: 1,
      /** The pause between two searches of a caller. */
      searchPauseMs: 100,
      /** How long each heavy request is sent. */
      heavyMs: 10_000,
      /** How often an honest agent sends meanwhile. */
      honestPauseMs: 1_500,
      /** The keys of many networks that send it. */
      heavyKeys: 90,
      /** The size of the largest bodies. */
      heavyBytes: 5_000_000,
      /** How many of the heavy requests are sent. Pages are opened only if all of them are. */
      heavyRequests: Infinity,
    }
  : {
      slowAgents: 16,
      slowCallMs: 25_000,
      settledMs: 0,
      hangingReceivers: 24,
      deliveries: 12,
      // With few deliveries, the 99th percentile would be the slowest one.
      quantile: 0.9,
      threads: 20_000,
      searchMs: 1_500,
      // Few threads make each search cheap, so the process always has some.
      searchers: 3,
      searchPauseMs: 0,
      heavyMs: 1_000,
      honestPauseMs: 150,
      heavyKeys: 12,
      heavyBytes: 500_000,
      heavyRequests: 2,
    };

/** @param share 0.99 for the 99th percentile */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? NaN;
}

/** Prints the measurements of the full form, in whole numbers. */
export function report(what: string, measured: Readonly<Record<string, number>>): void {
  if (!isFull) return;
  const rounded = Object.entries(measured).map(([name, value]) => `${name} ${Math.round(value)}`);
  console.log(`${what}: ${rounded.join(', ')}`);
}
