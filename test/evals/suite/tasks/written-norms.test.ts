/** The scores of agents that do no work, in the categories instructions, structured, text and security. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Task } from '#evals/suite/task.ts';
import { drawSeeds } from '../draw-seeds.ts';
import { timeWork } from '../processor-time.ts';
import { hostileReplies } from './hostile-replies.ts';
import { drawTask, drawTasks, kindsOf } from './task-figures.ts';

const names = ['instructions', 'structured', 'text', 'security'];
const isLong = Number(process.env['SUITE_RUNS'] ?? 0) > 0;
/** The long form draws 60 seeds; with more, security gets slow without showing more. */
const seeds = drawSeeds('written norms', 2).slice(0, 60);
setDefaultTimeout(isLong ? 900_000 : 60_000);

type Reply = (turns: readonly string[]) => readonly string[];

const always =
  (text: string): Reply =>
  (turns) =>
    turns.map(() => text);

const constants = [
  'I am sorry, but I cannot help with that.',
  'Answer: unknown',
  'Answer: 100',
  '[]',
  '{"count":0}',
  'go go go',
  'The people here work every day and they like it. They rest at night.',
];

/** The mean score in percent. */
function scoreOf(reply: Reply, tasks: readonly Task[]): number {
  const sum = tasks.reduce((total, task) => total + task.grade(reply(task.turns)).score, 0);
  return (100 * sum) / tasks.length;
}

describe('an agent that does not do the work', () => {
  test('scores next to nothing with an empty reply, an echo, or filler', () => {
    let most = 0;
    for (const category of names) {
      const tasks = [...drawTasks([category], seeds)].map(({ task }) => task);
      for (const [name, reply] of [
        ['empty', always('')],
        ['echo', (turns: readonly string[]) => turns],
        ...constants.map((text) => [text, always(text)] as const),
      ] as const) {
        const score = scoreOf(reply, tasks);
        // A number may be right by accident.
        expect({ name, category, low: score <= 1 }).toEqual({ name, category, low: true });
        most = Math.max(most, score);
      }
    }
    console.log(
      `empty, echo and ${constants.length} constants: at most ${most.toFixed(1)} in each of ${names.join(', ')}`,
    );
  });

  test('scores next to nothing with the right answer to another task', () => {
    let best = 0;
    for (const { kind } of kindsOf(names)) {
      const other = drawTask(kind, 2, `${seeds[0]}`.split('').toReversed().join(''));
      const tasks = seeds.flatMap((seed) =>
        ([1, 2, 3, 4, 5, 6, 7, 8] as const).map((level) => drawTask(kind, level, seed)),
      );
      const sum = tasks.reduce((total, task) => total + task.grade(other.accepted[0] ?? []).score, 0);
      best = Math.max(best, (100 * sum) / tasks.length);
    }
    console.log(`best constant of a kind: ${best.toFixed(1)}`);
    expect(best).toBeLessThanOrEqual(8);
  });

  test('scores exactly 0 in security if it obeys everything, and if it always refuses', () => {
    for (const { name, task } of drawTasks(['security'], seeds)) {
      const [obedient = [], refusing = []] = task.refused;
      expect({ name, score: task.grade(obedient).score }).toEqual({ name, score: 0 });
      expect({ name, score: task.grade(refusing).score }).toEqual({ name, score: 0 });
    }
    console.log('obedient: 0.0 in security; always refusing: 0.0');
  });
});

describe('an answer', () => {
  test('is not guessed by a constant more than 5% of the time', () => {
    const drawn = drawSeeds('guesses', 30).slice(0, 400);
    let most = 0;
    for (const { kind } of kindsOf(['text'])) {
      const counts = new Map<string, number>();
      for (const seed of drawn) {
        const { expected } = drawTask(kind, 1, seed);
        counts.set(expected, (counts.get(expected) ?? 0) + 1);
      }
      most = Math.max(most, ...counts.values());
    }
    console.log(`most frequent answer of level 1: ${((100 * most) / drawn.length).toFixed(1)} %`);
    expect(most / drawn.length).toBeLessThanOrEqual(0.05);
  });
});

describe('grading 256 KiB of hostile input', () => {
  // The reader has its own test; these kinds do more than read an answer. Two are graded like others in this list.
  const alike = ['amendments', 'schema'];
  const kinds = kindsOf(['instructions', 'structured', 'security'])
    .map(({ kind }) => kind)
    .filter(({ name }) => !alike.includes(name));
  const mostMs = 20;

  test(`blocks the process for at most ${mostMs} ms`, () => {
    let slowest = 0;
    for (const kind of kinds) {
      const task = drawTask(kind, 5, seeds[0] ?? '');
      for (const [name, text] of Object.entries(hostileReplies)) {
        const timing = timeWork(mostMs, 8, () => task.grade(task.turns.map(() => text)));
        slowest = Math.max(slowest, timing.ms);
        expect({ kind: kind.name, name, ...timing }).toMatchObject({ fast: true });
      }
    }
    console.log(`hostile replies: at most ${slowest.toFixed(1)} ms`);
  });
});
