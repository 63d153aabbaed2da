import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { countTokens } from '#evals/count-tokens.ts';
import { createRandom } from '#evals/random.ts';
import { drawSeeds } from '../draw-seeds.ts';
import { drawTasks, kindsOf } from './task-figures.ts';

const names = ['reasoning', 'execution', 'context', 'calibration'];
/** The long form draws 300 seeds; with more, these tasks would take too long for what they add. */
const seeds = drawSeeds('worked tasks', 3).slice(0, 300);
setDefaultTimeout(Number(process.env['SUITE_RUNS'] ?? 0) > 0 ? 900_000 : 60_000);

describe('the categories reasoning, execution, context and calibration', () => {
  test('keep every prompt within the limit on tokens', () => {
    for (const maxPromptTokens of [8_000, 32_000] as const) {
      for (const { kind } of kindsOf(['context', 'execution'])) {
        for (const seed of seeds.slice(0, 12)) {
          const { turns } = kind.make(createRandom(seed, kind.name), 5, { maxPromptTokens });
          const tokens = countTokens(turns.join('\n'));
          const fits = tokens <= maxPromptTokens;
          expect({ kind: kind.name, seed, tokens, fits }).toMatchObject({ fits: true });
        }
      }
    }
  });
});

describe('a score without understanding', () => {
  const constants = ['0', '1', 'unknown', 'none', 'Answer: 42', 'Answer: unknown', 'Answer: A, B, C'];

  test('is 0 for an empty reply, the prompt itself and nothing but abstaining, and near 0 for any constant', () => {
    const sums = { empty: 0, echo: 0, 'best constant': 0, 'always abstains': 0 };
    let tasks = 0;
    for (const { task } of drawTasks(names, seeds)) {
      tasks += 1;
      const count = task.answer?.type === 'list' ? task.answer.value.length : 1;
      const scoreOf = (reply: string) => task.grade([reply]).score;
      sums.empty += scoreOf('');
      sums.echo += scoreOf(task.turns.at(-1) ?? '');
      sums['best constant'] += Math.max(...constants.map(scoreOf));
      sums['always abstains'] += scoreOf(
        `Answer: ${Array.from({ length: count }, () => 'unknown').join(', ')}`,
      );
    }
    const norms = Object.entries(sums).map(([name, sum]) => `${name} ${((100 * sum) / tasks).toFixed(1)}`);
    console.log(`norms of ${names.join(', ')}: ${norms.join(', ')}`);
    const { 'best constant': luck, ...others } = sums;
    expect(others).toEqual({ empty: 0, echo: 0, 'always abstains': 0 });
    // In thousands of tasks, one of the seven constants is right by accident now and then.
    expect(luck / tasks).toBeLessThanOrEqual(0.001);
  });
});
