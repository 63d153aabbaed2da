import { describe, expect, test } from 'bun:test';
import { weekLevels } from '#evals/week/dials.ts';
import {
  makeWeek,
  playTask,
  replayWeek,
  type Week,
  type PlayedTask,
  type WeekOptions,
} from '#evals/week/week.ts';
import { families } from '#evals/week/families/families.ts';
import { weekTools } from '#evals/week/tools/tools.ts';
import { drawSeeds } from '../suite/draw-seeds.ts';

const options: WeekOptions = { size: 'small', tasks: 8, levels: weekLevels };
const seeds = drawSeeds('week', 2);

/** Plays all tasks as the reference does. */
function playWeek(seed: string, own: WeekOptions = options): { week: Week; played: PlayedTask[] } {
  const week = makeWeek(seed, own);
  const played: PlayedTask[] = [];
  for (let task = week.present(); task !== null; task = week.present()) {
    const calls = playTask(week).calls.map(({ tool, args }) => ({ tool, args }));
    played.push({ level: task.level, budget: task.budget, calls, ended: true });
  }
  return { week, played };
}

describe('a week', () => {
  test('is passed by the reference, through the tools alone and within the budget', () => {
    for (const seed of seeds) {
      const { week } = playWeek(seed);
      const faults = week.verdicts.flatMap(({ n, family, missed }) =>
        missed.map(({ what, done }) => `${seed} ${n} ${family}: ${what}; ${done}`),
      );
      expect(faults).toEqual([]);
      expect(week.figures().score).toBe(100);
      for (const { calls, budget } of week.verdicts) expect(calls).toBeLessThanOrEqual(budget);
    }
  });

  test('is passed by the reference in a large company, with levels chosen from the results', () => {
    for (const seed of drawSeeds('large week', 1)) {
      const { week } = playWeek(seed, { size: 'large', tasks: 5 });
      expect([seed, ...week.verdicts.flatMap(({ missed }) => missed)]).toEqual([seed]);
      expect(week.verdicts.at(-1)?.level).toBe(8);
    }
  });

  test('never gives two tasks for the same thing, however often a family comes', () => {
    // The short form takes every third pair.
    const step = Number(process.env['SUITE_RUNS'] ?? 0) > 0 ? 2 : 6;
    for (let first = 0; first < families.length; first += step) {
      const two = families.slice(first, first + 2);
      for (const seed of drawSeeds(`two families from ${first}`, 1)) {
        const { week } = playWeek(seed, { size: 'small', tasks: 20, levels: [1], families: two });
        // Who gets the reports is not the question: with so few topics, what is said about one meets another.
        const missed = week.verdicts
          .flatMap(({ n, missed: own }) => own.map(({ what, done }) => `${n}: ${what}; ${done}`))
          .filter((line) => !/a report to|; mails/.test(line));
        expect([seed, ...missed]).toEqual([seed]);
      }
    }
  });

  test('is the same again from its seed and calls, wherever it is cut', () => {
    for (const seed of seeds.slice(0, 1)) {
      const { week, played } = playWeek(seed);
      expect(replayWeek(seed, options, played).verdicts).toEqual(week.verdicts);
      const [first, second] = played;
      const cut = [first!, { ...second!, calls: second!.calls.slice(0, 9), ended: false }];
      const half = replayWeek(seed, options, cut);
      const slow = makeWeek(seed, options);
      for (const { calls } of cut) for (const { tool, args } of calls) slow.call(tool, args);
      expect(half.present()).toEqual(slow.present());
      expect(half.call('mail_list', {})).toEqual(slow.call('mail_list', {}));
    }
  });

  test('continues after a task that was ended from outside', () => {
    const week = makeWeek(seeds[0]!, options);
    week.call('mail_list', {});
    const { level, budget } = week.present()!;
    week.end();
    expect(week.verdicts).toMatchObject([{ n: 1, passed: false, finished: false, calls: 1 }]);
    const calls = [{ tool: 'mail_list', args: {} }];
    const again = replayWeek(seeds[0]!, options, [{ level, budget, calls, ended: true }]);
    expect([again.verdicts, again.present()]).toEqual([week.verdicts, week.present()]);
  });

  test('has the same tasks at given levels as at chosen ones', () => {
    const chosen = playWeek(seeds[0]!, { size: 'small', tasks: 3 });
    const levels = chosen.played.map(({ level }) => level);
    const given = playWeek(seeds[0]!, { size: 'small', tasks: 3, levels });
    expect(given.week.verdicts).toEqual(chosen.week.verdicts);
  });

  test('has names of tools that every provider accepts', () => {
    for (const { name } of weekTools) expect(name).toMatch(/^[a-z_]{1,64}$/);
  });
});
