import { expect, test } from 'bun:test';
import { encode } from 'gpt-tokenizer';
import { countTokens } from '#evals/count-tokens.ts';
import { ladderLevels } from '#evals/suite/ladder/ladder.ts';
import { drawSeed } from '../draw-seeds.ts';
import { drawTask, kindsOf } from './task-figures.ts';

test('the token estimate for long prompts is never below what a tokeniser counts, and at most a fifth above it', () => {
  const seed = drawSeed('tokens');
  for (const { kind } of kindsOf(['context'])) {
    const ratios = ladderLevels.map((level) => {
      const prompt = drawTask(kind, level, seed).turns.join('\n');
      return countTokens(prompt) / encode(prompt).length;
    });
    console.log(
      `tokens, estimated by counted (${kind.name}): ${ratios.map((ratio) => ratio.toFixed(2)).join(', ')}`,
    );
    expect(Math.min(...ratios)).toBeGreaterThanOrEqual(1);
    expect(Math.max(...ratios)).toBeLessThanOrEqual(1.2);
  }
});
