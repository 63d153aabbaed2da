import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { drawSeeds } from '../draw-seeds.ts';
import { drawTask, drawTasks, kindsOf } from './task-figures.ts';

const names = ['instructions', 'structured', 'text', 'security'];
/** The long form draws 300 seeds. */
const seeds = drawSeeds('written tasks', 4).slice(0, 300);
const isLong = Number(process.env['SUITE_RUNS'] ?? 0) > 0;
setDefaultTimeout(isLong ? 1_800_000 : 30_000);

describe('the categories instructions, structured, text and security', () => {
  test('score the oracle 100.0, and pass and reject the replies that they list', () => {
    let tasks = 0;
    for (const { name, task } of drawTasks(names, seeds)) {
      tasks += 1;
      for (const replies of task.accepted) {
        const grade = task.grade(replies);
        expect({ name, replies, ...grade }).toMatchObject({ score: 1, passed: true });
        expect(grade.rightValueWrongWrapping ?? false).toBe(false);
      }
      for (const replies of task.refused) {
        expect({ name, replies, ...task.grade(replies) }).toMatchObject({ passed: false });
      }
      expect(task.accepted.length).toBeGreaterThan(0);
      expect(task.refused.length).toBeGreaterThan(1);
    }
    console.log(`oracle: 100.0 on ${tasks} tasks (${seeds.length} seeds x kinds x 5 levels)`);
  });

  test('include no degenerate, ambiguous or contradictory task', () => {
    const many = drawSeeds('sound tasks', 12).flatMap((seed) => (isLong ? [seed, `${seed}+`] : [seed]));
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

  test('make byte-identical tasks from the same seed', () => {
    const withoutGrade = (task: object) => JSON.stringify(task);
    for (const { kind, level, seed, task } of drawTasks(names, seeds.slice(0, 4))) {
      expect(withoutGrade(drawTask(kind, level, seed))).toBe(withoutGrade(task));
    }
  });

  test('make different tasks from different seeds', () => {
    for (const { kind } of kindsOf(names)) {
      const prompts = seeds.map((seed) => drawTask(kind, 3, seed).turns.join('\n'));
      expect(new Set(prompts).size).toBe(seeds.length);
    }
  });
});
