import type { RunRow } from '#db/schema/run-tables.ts';

/** Which items a run asks, apart from its product. */
export interface Sampling extends Pick<RunRow, 'replayOf'> {
  /** Null for a new one. */
  readonly seed: string | null;
}

/** A new run with items of its own. */
export const plainSampling: Sampling = { seed: null, replayOf: null };
