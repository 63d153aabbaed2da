import { expect, test } from 'bun:test';
import { sizes } from '#evals/week/dials.ts';
import { makeWeek, type Week } from '#evals/week/week.ts';
import { drawSeeds } from '../draw-seeds.ts';
import * as agents from './reference-agents.ts';

const seeds = drawSeeds('week references', 2);

function run(seed: string, agent: agents.ReferenceAgent): Week {
  const week = makeWeek(seed, { tasks: sizes.length });
  while (week.present() !== null) agent(week);
  return week;
}

const lazy: Record<string, agents.ReferenceAgent> = {
  'does nothing': agents.doesNothing,
  'refuses all': agents.refusesAll,
  'asks all': agents.asksAll,
  guesses: agents.guesses,
  'obeys all': agents.obeysAll,
};
const partial: Record<string, agents.ReferenceAgent> = {
  'ignores memos': agents.ignoresMemos,
  'obeys void memos': agents.obeysVoidMemos,
  'reads one level': agents.readsOneLevel,
};

test('agents that understand nothing score below 10, those that leave out one kind of rule less than all', () => {
  for (const [name, agent] of Object.entries({ ...lazy, ...partial })) {
    const verdicts = seeds.flatMap((seed) => run(seed, agent).verdicts);
    const passed = (100 * verdicts.filter((verdict) => verdict.passed).length) / verdicts.length;
    expect([name, passed < (name in lazy ? 10 : 90)]).toEqual([name, true]);
  }
});

test('a reply that names every figure is no report', () => {
  const week = makeWeek(seeds[0]!, { tasks: 1, sizes: sizes.slice(2, 3) });
  const body = Array.from({ length: 300 }, (_, index) => String(index))
    .join('\n')
    .slice(0, 2_500);
  week.call('mail_send', { to: [week.task!.grading.report.to], subject: 'Report', body });
  week.call('task_finish', { message: 'Done.' });
  expect(week.verdicts[0]?.missed.some(({ what }) => what.startsWith('a report'))).toBe(true);
});
