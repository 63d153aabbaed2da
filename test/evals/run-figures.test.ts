/** What a score took is exact, and null where a part would stand for all. */
import { expect, test } from 'bun:test';
import { costOfRuns, type RunTaken } from '#evals/run-figures.ts';

const taken = (tokens: number, more: { partial?: true } = {}): RunTaken => ({
  score: 80,
  usage: { input_tokens: tokens, output_tokens: 0, ...more },
  effort: null,
  latency: null,
});

test('the tokens of a run are exact, and its points for 1,000 of them are 0 only if its score is', () => {
  expect(costOfRuns([taken(170_000_000)])).toMatchObject({
    tokens: 170_000_000,
    score_per_1000_tokens: 0.001,
  });
  expect(costOfRuns([{ ...taken(1_000), score: 0 }])).toMatchObject({
    tokens: 1_000,
    score_per_1000_tokens: 0,
  });
  expect(costOfRuns([taken(1_000), taken(3_000)])).toMatchObject({
    tokens: 2_000,
    score_per_1000_tokens: 40,
  });
});

test('runs of which one reports only some of its tokens have no figure of tokens', () => {
  const unknown = { tokens: null, score_per_1000_tokens: null };
  expect(costOfRuns([taken(1_000), taken(1_000, { partial: true })])).toMatchObject(unknown);
});
