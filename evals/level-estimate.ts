/** The level at which an agent passes half of its tasks. */
export interface LevelEstimate {
  readonly value: number;
  readonly se: number;
  /** Whether the level is at the top of the scale, so that it is only known to be at least `value`. */
  readonly top: boolean;
}

export function describeLevel({ value, se, top }: LevelEstimate): string {
  return top ? `level ≥ ${value.toFixed(1)} (top)` : `level ${value.toFixed(1)} ± ${se.toFixed(1)}`;
}
