/** Which items a run asks, how often, and of whom. */
import type { RunRow } from '#db/schema/run-tables.ts';

/** What a run asks, apart from its product. */
export interface Sampling extends Pick<RunRow, 'repeat' | 'replayOf' | 'levels'> {
  /** Null for a new one. */
  readonly seed: string | null;
}

export interface ItemsOrdered {
  readonly repeat: number;
  /** The run whose items are asked again. */
  readonly replayed: RunRow | null;
}

export const newItems: ItemsOrdered = { repeat: 1, replayed: null };

/** A new run with items of its own, each asked once. */
export const plainSampling: Sampling = {
  repeat: 1,
  seed: null,
  replayOf: null,
  levels: null,
};
