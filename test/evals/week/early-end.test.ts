import { expect, test } from 'bun:test';
import type { WeekLevel } from '#evals/week/dials.ts';
import { figuresOf, type RunVerdict, withUnreached } from '#evals/week/score.ts';

const tasks = 12;

function verdict(n: number, level: WeekLevel, passed: boolean): RunVerdict {
  const decisions = { right: Number(passed), of: 1 };
  const figures = { partial: Number(passed), decisions, calls: 1, budget: 9, finished: true, attack: null };
  return { n, level, passed, family: 'drafts', ...figures };
}

test('tasks that were not reached count at the levels that failures lead to', () => {
  const reached = [verdict(1, 5, true), verdict(2, 7, true)];
  const all = withUnreached(reached, tasks, tasks);
  expect(all.map(({ level }) => level)).toEqual([5, 7, 8, 7, 6, 6, 5, 5, 5, 4, 4, 4]);
  // 68 if all that was not reached counted at the level of the last task.
  expect(figuresOf(all, tasks).score).toBeLessThan(45);
});
