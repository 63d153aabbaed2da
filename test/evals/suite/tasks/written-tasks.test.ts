import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { drawSeeds } from '../draw-seeds.ts';
import { drawTasks } from './task-figures.ts';

const names = ['instructions', 'structured', 'text', 'security'];
const isLong = Number(process.env['SUITE_RUNS'] ?? 0) > 0;
setDefaultTimeout(isLong ? 1_800_000 : 60_000);

describe('the categories instructions, structured, text and security', () => {
  test('include no degenerate, ambiguous or contradictory task', () => {
    const many = drawSeeds('sound tasks', 3).flatMap((seed) => (isLong ? [seed, `${seed}+`] : [seed]));
    const tasksOf = new Map<string, number>();
    for (const { name, kind, task } of drawTasks(names, many)) {
      tasksOf.set(kind.name, (tasksOf.get(kind.name) ?? 0) + 1);
      const passes = (replies: readonly string[]) => task.grade(replies).passed;
      // Contradictory: nothing satisfies it. Degenerate: the material itself does. Ambiguous: a likely mistake does as
      // well.
      expect({ name, oracle: passes(task.accepted[0] ?? []) }).toEqual({ name, oracle: true });
      expect({ name, echo: passes(task.turns) }).toEqual({ name, echo: false });
      const mistake = task.refused.at(-1) ?? [];
      expect({ name, mistake: passes(mistake) }).toEqual({ name, mistake: false });
      expect(task.turns.every((turn) => turn.length > 20 && turn === turn.trim())).toBe(true);
      expect(task.expected).not.toBe('');
    }
    console.log(
      `0 degenerate, ambiguous or contradictory in ${Math.min(...tasksOf.values())} tasks a generator`,
    );
  });
});
