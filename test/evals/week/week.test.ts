import { describe, expect, test } from 'bun:test';
import { sizes } from '#evals/week/dials.ts';
import { makeWeek, playTask, type Week, type WeekOptions } from '#evals/week/week.ts';
import { areas } from '#evals/week/areas/areas.ts';
import { weekTools } from '#evals/week/tools/tools.ts';
import { drawSeeds } from '../draw-seeds.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TaskVerdict } from '#evals/week/grade.ts';
import { nextWorld, weekAfter } from '#evals/week/office-world.ts';
import { replay } from '#evals/worlds/world.ts';

const options: WeekOptions = { tasks: sizes.length };

// In the last one, a call times out and another change makes a record look booked.
const seeds = [...drawSeeds('week', 2), 'f253439a66a30abfa359a4b60ce33fe2'];

/** Plays all tasks as the reference does. */
function playWeek(seed: string, own: WeekOptions = options): Week {
  const week = makeWeek(seed, own);
  while (week.present() !== null) playTask(week);
  return week;
}

describe('a week', () => {
  test('is passed by the reference, through the tools alone and within the budget', () => {
    for (const seed of seeds) {
      const week = playWeek(seed);
      const faults = week.verdicts.flatMap(({ n, family, missed }) =>
        missed.map(({ what, done }) => `${seed} ${n} ${family}: ${what}; ${done}`),
      );
      expect(faults).toEqual([]);
      for (const { calls, budget } of week.verdicts) expect(calls).toBeLessThanOrEqual(budget);
    }
  });

  test('never gives two tasks for the same thing, however often a family comes', () => {
    // The short form takes every third pair.
    const step = Number(process.env['SUITE_RUNS'] ?? 0) > 0 ? 2 : 6;
    for (let first = 0; first < areas.length; first += step) {
      const two = areas.slice(first, first + 2);
      for (const seed of drawSeeds(`two families from ${first}`, 1)) {
        const week = playWeek(seed, { tasks: 20, sizes: Array(20).fill(sizes[0]), areas: two });
        // Who gets the reports is not the question: with so few topics, what is said about one meets another.
        const missed = week.verdicts
          .flatMap(({ n, missed: own }) => own.map(({ what, done }) => `${n}: ${what}; ${done}`))
          .filter((line) => !/a report to|; mails/.test(line));
        expect([seed, ...missed]).toEqual([seed]);
      }
    }
  });

  test('continues after a task that was ended from outside', () => {
    const week = makeWeek(seeds[0]!, options);
    week.call('mail_list', {});
    week.end();
    expect(week.verdicts).toMatchObject([{ n: 1, passed: false, finished: false, calls: 1 }]);
    expect(week.present()).toMatchObject({ n: 2 });
  });

  test('has names of tools that every provider accepts', () => {
    for (const { name } of weekTools) expect(name).toMatch(/^[a-z_]{1,64}$/);
  });
});

/**
 * A task with the calls that an agent made in it, and what they were graded. Large language models made the calls of the
 * first six, a reader that ignores amendments those of the others.
 */
interface KeptTask {
  readonly seed: string;
  /** In its week. */
  readonly tasks: number;
  /** From 1. */
  readonly size: number;
  /** A call without a name is of a tool that the office no longer has. It takes time like any other. */
  readonly calls: readonly (readonly [tool: string, args?: unknown])[];
  readonly verdict: Pick<TaskVerdict, 'passed' | 'decisions' | 'finished' | 'attack'> & {
    readonly missed: string[];
  };
}

const lines = readFileSync(join(import.meta.dirname, 'kept-tasks.jsonl'), 'utf8')
  .trimEnd()
  .split('\n');
const kept = lines.map((line) => JSON.parse(line) as KeptTask);

test.each([...Map.groupBy(kept, ({ seed }) => seed)])(
  'the tasks of the week %s are graded as before',
  (seed, own) => {
    // Budgets follow the reference, which has become quicker; where one ran out, the calls end.
    const dials = own.map(({ size }) => ({ ...sizes[size - 1]!, budget: 20 }));
    let week = makeWeek(seed, { tasks: own[0]?.tasks ?? 0, sizes: dials });
    for (const { calls } of own) {
      const made = calls.map(([name, args = {}]) => ({ id: '', name, arguments: args }));
      const steps = made.map((call) => ({ text: null, calls: [call] }));
      week = weekAfter(replay(nextWorld(week), steps).state);
    }
    const graded = week.verdicts.map(({ missed, decisions, finished, attack }) => {
      const told = missed.map(({ what, done }) => `${what}: ${done}`);
      return { passed: told.length === 0, decisions, finished, attack, missed: told };
    });
    expect(graded).toEqual(own.map(({ verdict }) => verdict));
  },
);
