/** Counts solutions by trying everything. */
import type { Island } from '#evals/suite/tasks/reasoning/liars.ts';
import type { Statement } from '#evals/suite/tasks/reasoning/liars-statements.ts';
import type { Schedule } from '#evals/suite/tasks/reasoning/schedule.ts';

/** Places one job after the other, and leaves a beginning as soon as a rule about placed jobs is broken. */
export function countOrders({ day, rules }: Schedule): number {
  const all = [...day.names.keys()];
  const rulesOf = (placed: number) => rules.filter(({ jobs }) => (jobs & placed) === jobs);
  const count = (placed: number, starts: readonly number[], now: number): number => {
    if (!rulesOf(placed).every((rule) => rule.holds(starts))) return 0;
    const left = all.filter((job) => (placed & (1 << job)) === 0);
    if (left.length === 0) return 1;
    return left
      .map((job) => count(placed | (1 << job), starts.with(job, now), now + (day.minutes[job] ?? 0)))
      .reduce((sum, found) => sum + found, 0);
  };
  return count(
    0,
    all.map(() => -1),
    day.start,
  );
}

export function countIslands({ statements }: Island): number {
  let found = 0;
  for (let number = 0; number < 2 ** statements.length; number += 1) {
    const isKnight = statements.map((_, person) => Math.floor(number / 2 ** person) % 2 === 1);
    if (statements.every((statement, speaker) => means(statement, isKnight) === isKnight[speaker]))
      found += 1;
  }
  return found;
}

function means({ says, people, ...rest }: Statement, isKnight: readonly boolean[]): boolean {
  const sorts = people.map((person) => isKnight[person] ?? false);
  const knights = sorts.filter(Boolean).length;
  const [first = false, second = false] = sorts;
  const wanted = 'count' in rest ? rest.count : 0;
  const meanings: Record<Statement['says'], boolean> = {
    knave: knights === 0,
    knight: knights === 1,
    same: knights !== 1,
    'exactly one': knights === 1,
    'if then knave': knights < 2,
    'knave or knight': second || !first,
    'would say knave': first ? !second : second,
    exactly: knights === wanted,
    'at least': knights >= wanted,
  };
  return meanings[says];
}
