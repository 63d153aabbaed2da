import type { Level } from '../../ladder/ladder.ts';
import type { TaskLimits } from '../../task.ts';

/** The number of steps of a task, by level. */
export const stepCounts: Readonly<Record<Level, number>> = {
  1: 10,
  2: 40,
  3: 120,
  4: 300,
  5: 800,
  6: 1000,
  7: 1300,
  8: 1600,
};

/** Reserved for the question and the instructions around the steps. */
const reservedTokens = 500;

/** The number of steps that fit into a prompt. Only a limit of 8,000 tokens is ever too small, and only for level 5. */
export function stepsWithin(level: Level, { maxPromptTokens }: TaskLimits, tokensAStep: number): number {
  return Math.min(stepCounts[level], Math.floor((maxPromptTokens - reservedTokens) / tokensAStep));
}
