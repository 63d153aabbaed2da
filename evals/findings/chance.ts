/** How likely a difference between two groups is by chance. */

/** A rule says what it sees only where chance would show it in less than one of 200 runs. */
export const chanceMax = 0.005;

interface Group {
  readonly failed: number;
  readonly total: number;
}

/**
 * The probability that at least as many of the failures fall into the first group if the groups do not differ: the
 * one-sided exact test of R. A. Fisher.
 */
export function chanceOfSplit(first: Group, second: Group): number {
  const total = first.total + second.total;
  const failed = first.failed + second.failed;
  const whole = logChoose(total, failed);
  let chance = 0;
  for (let here = first.failed; here <= Math.min(first.total, failed); here += 1) {
    if (failed - here > second.total) continue;
    chance += Math.exp(logChoose(first.total, here) + logChoose(second.total, failed - here) - whole);
  }
  return Math.min(1, chance);
}

function logChoose(total: number, chosen: number): number {
  let log = 0;
  for (let step = 1; step <= chosen; step += 1) log += Math.log(total - chosen + step) - Math.log(step);
  return log;
}
