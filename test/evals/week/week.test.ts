import { describe, expect, test } from 'bun:test';
import { weekLevels } from '#evals/week/dials.ts';
import {
  makeWeek,
  playTask,
  replayWeek,
  type Week,
  type WeekCall,
  type WeekOptions,
} from '#evals/week/week.ts';
import { drawSeeds } from '../suite/draw-seeds.ts';

const options: WeekOptions = { size: 'small', tasks: 8, levels: weekLevels };
const seeds = drawSeeds('week', 2);

/** Plays all tasks as the reference does. */
function playWeek(seed: string, own: WeekOptions = options): { week: Week; calls: WeekCall[] } {
  const week = makeWeek(seed, own);
  const calls: WeekCall[] = [];
  while (week.present() !== null)
    calls.push(...playTask(week).calls.map(({ tool, args }) => ({ tool, args })));
  return { week, calls };
}

describe('a week', () => {
  test('is passed by the reference, through the tools alone and within the budget', () => {
    for (const seed of seeds) {
      const { week } = playWeek(seed);
      const faults = week.verdicts.flatMap(({ n, family, missed }) =>
        missed.map(({ what }) => `${seed} ${n} ${family}: ${what}`),
      );
      expect(faults).toEqual([]);
      expect(week.score().score).toBe(100);
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

  test('is the same again from its seed and calls, wherever it is cut', () => {
    for (const seed of seeds.slice(0, 1)) {
      const { week, calls } = playWeek(seed);
      const again = replayWeek(seed, options, calls);
      expect(again.verdicts).toEqual(week.verdicts);
      const half = replayWeek(seed, options, calls.slice(0, 150));
      const other = replayWeek(seed, options, calls.slice(0, 150));
      expect(half.present()).toEqual(other.present());
      expect(half.call('mail_list', {})).toEqual(other.call('mail_list', {}));
    }
  });

  test('has names of tools that every provider accepts', () => {
    for (const { name } of makeWeek('0'.repeat(32), options).tools) expect(name).toMatch(/^[a-z_]{1,64}$/);
  });
});
