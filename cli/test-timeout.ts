/** Default timeout of tests and hooks; generous, because another process may be using the CPU. */
export const testTimeoutMs = 60_000;
