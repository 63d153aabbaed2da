/** What holds for every kind of every category, so also for one that somebody adds. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { categories, suiteVersion } from '#evals/suite/index.ts';
import { drawSeeds } from './draw-seeds.ts';
import { drawTask, drawTasks, kindsOf } from './tasks/task-figures.ts';

const names = categories.map(({ name }) => name);
/** The long form draws 300 seeds; with more, long tasks would take too long for what they add. */
const seeds = drawSeeds('every kind', 2).slice(0, 300);
setDefaultTimeout(Number(process.env['SUITE_RUNS'] ?? 0) > 0 ? 1_800_000 : 60_000);

test('scores the oracle 100.0, and passes and rejects the replies that it lists', () => {
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
  console.log(`oracle: 100.0 on ${tasks} tasks (${seeds.length} seeds x kinds x levels)`);
});

test('makes byte-identical tasks from the same seed, and different ones from others', () => {
  for (const { kind, level, seed, task } of drawTasks(names, seeds.slice(0, 2))) {
    expect(JSON.stringify(drawTask(kind, level, seed))).toBe(JSON.stringify(task));
  }
  for (const { category, kind } of kindsOf(names)) {
    const level = easilyRepeated.includes(category) ? 3 : 1;
    const prompts = seeds.map((seed) => drawTask(kind, level, seed).turns.join('\n'));
    expect(new Set(prompts).size).toBe(seeds.length);
  }
});

/** Short texts at level 1 are sometimes the same. */
const easilyRepeated = ['instructions', 'structured', 'text', 'security'];

/** Of the cases of this version. A change of a case raises `suiteVersion`, once it is released; then record both again. */
const recorded = { version: '7', digest: '3e106c6078ea577d' };

test('a change of the cases raises the version of the suite', () => {
  const shown = kindsOf(names).map(({ category, kind }) => {
    const { turns, expected, accepted } = drawTask(kind, 3, 'the version of the suite');
    return [category, kind.name, turns, expected, accepted];
  });
  const digest = new Bun.CryptoHasher('sha256').update(JSON.stringify(shown)).digest('hex').slice(0, 16);
  expect({ version: suiteVersion, digest }).toEqual(recorded);
});
