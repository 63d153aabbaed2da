/**
 * The environment of Bun processes that live for seconds. Few of their functions run long enough to repay what the last
 * compiler costs: without it, a run of 40 cases takes two thirds of the processor time.
 */
export const shortLived = { BUN_JSC_useFTLJIT: '0' } as const;
