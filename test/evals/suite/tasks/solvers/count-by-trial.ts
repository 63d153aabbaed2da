/** Counts solutions by brute force. */
import type { Island } from '#evals/suite/tasks/reasoning/liars.ts';
import type { Statement } from '#evals/suite/tasks/reasoning/liars-statements.ts';
import type { Schedule } from '#evals/suite/tasks/reasoning/schedule.ts';

export function countOrders({ day, rules }: Schedule): number {
  let found = 0;
  const permute = (placed: readonly number[], left: readonly number[]) => {
    if (left.length > 0) {
      for (const job of left)
        permute(
          [...placed, job],
          left.filter((other) => other !== job),
        );
      return;
    }
    const starts: number[] = [];
    let now = day.start;
    for (const job of placed) {
      starts[job] = now;
      now += day.minutes[job] ?? 0;
    }
    if (rules.every((rule) => rule.holds(starts))) found += 1;
  };
  permute([], [...day.names.keys()]);
  return found;
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
