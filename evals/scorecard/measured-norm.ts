/** A measured agent beside a score: the mean of its runs. */
export interface MeasuredNorm {
  /** What was measured, how and when, in the words of whoever runs the hub. */
  readonly label: string;
  /** 0 to 100. */
  readonly score: number;
  readonly runs: number;
}

export function runsOf({ runs }: Pick<MeasuredNorm, 'runs'>): string {
  return runs === 1 ? '1 run' : `${runs} runs`;
}
