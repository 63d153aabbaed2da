/** Shared by the kinds with long prompts: their lengths, and how a text is filled up to a length. */
import { charactersOfTokens } from '../../../count-tokens.ts';
import type { Level } from '../../ladder/ladder.ts';
import type { TaskLimits } from '../../task.ts';

const tokensByLevel: Readonly<Record<Level, number>> = {
  1: 2_000,
  2: 8_000,
  3: 24_000,
  4: 64_000,
  5: 96_000,
  6: 120_000,
  7: 120_000,
  8: 120_000,
};

/** Reserved for the question and the instructions around the text. */
const reservedTokens = 300;

/** The length of a task's text, in characters. */
export function textLength(level: Level, { maxPromptTokens }: TaskLimits): number {
  return charactersOfTokens(Math.min(tokensByLevel[level], maxPromptTokens) - reservedTokens);
}
