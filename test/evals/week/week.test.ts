import { describe, expect, test } from 'bun:test';
import { sizes } from '#evals/week/dials.ts';
import { makeWeek, playTask, type Week, type WeekOptions } from '#evals/week/week.ts';
import { areas } from '#evals/week/areas/areas.ts';
import { weekTools } from '#evals/week/tools/tools.ts';
import { drawSeeds } from '../draw-seeds.ts';

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
