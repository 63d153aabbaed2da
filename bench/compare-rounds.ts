/**
 * Runs baseline and subject alternately in short rounds, so that other load on the machine affects both. The
 * first pair is a warm-up and does not count.
 */

/** The result of a round. */
export interface Round {
  /** Operations per second. */
  readonly rate: number;
}

export interface Contest<Subject extends Round, Baseline extends Round> {
  readonly subject: readonly Subject[];
  readonly baseline: readonly Baseline[];
  /** Median over the pairs of consecutive rounds. */
  readonly ratio: number;
}

export async function compareRounds<Subject extends Round, Baseline extends Round>(
  rounds: number,
  runBaseline: () => Promise<Baseline>,
  runSubject: () => Promise<Subject>,
): Promise<Contest<Subject, Baseline>> {
  await runBaseline();
  await runSubject();
  const baseline: Baseline[] = [];
  const subject: Subject[] = [];
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const below = await runBaseline();
    const above = await runSubject();
    baseline.push(below);
    subject.push(above);
    ratios.push(above.rate / below.rate);
  }
  return { subject, baseline, ratio: median(ratios) };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
  return (upper + lower) / 2;
}
