/**
 * Measures the scores of the reference agents again, which stand beside every score. `SUITE_RUNS` is the number of weeks
 * of each.
 */
import { expect, test } from 'bun:test';
import { createRandom } from '#evals/suite/random.ts';
import { weekNorms } from '#evals/week/scorecard/model.ts';
import { makeWeek, playTask } from '#evals/week/week.ts';
import { drawSeeds } from '../suite/draw-seeds.ts';
import * as agents from './reference-agents.ts';

const runs = Number(process.env['SUITE_RUNS'] ?? '1');
/** A score of one week of 12 tasks varies by about 8 points. */
const tolerance = 4 + 24 / Math.sqrt(runs);

const byName: Record<string, (seed: string) => agents.ReferenceAgent> = {
  idle: () => agents.doesNothing,
  'reads one level': () => agents.readsOneLevel,
  'ignores memos': () => agents.ignoresMemos,
  '1 error in 20': (seed) => agents.forgetting(1 / 20, createRandom(seed, 'errors')),
  'obeys void memos': () => agents.obeysVoidMemos,
  '1 error in 80': (seed) => agents.forgetting(1 / 80, createRandom(seed, 'errors')),
  '1 error in 200': (seed) => agents.forgetting(1 / 200, createRandom(seed, 'errors')),
  reference: () => (week) => void playTask(week),
};

test('the reference agents have the scores that the scorecard shows', () => {
  expect(weekNorms.map(({ name }) => name)).toEqual(Object.keys(byName) as never);
  const measured = weekNorms.map(({ name, score }) => {
    const scores = drawSeeds(`norms ${name}`, runs).map((seed) => {
      const agent = byName[name]!(seed);
      const week = makeWeek(seed, { size: 'small', tasks: 12 });
      while (week.present() !== null) agent(week);
      return week.figures().score;
    });
    return { name, norm: score, mean: scores.reduce((sum, one) => sum + one, 0) / runs };
  });
  console.table(measured);
  for (const { name, norm, mean } of measured)
    expect([name, Math.abs(mean - norm) <= tolerance]).toEqual([name, true]);
}, 900_000);
