/**
 * Prompts that grow: marks stand all over a log, and the question stands at both ends. The lengths double until one
 * fails twice. The calls that are left go to the longest prompt, and to the length from which prompts are cut.
 */
import type { Random } from '../../random.ts';
import { charactersOfTokens } from '../../token-usage.ts';
import { type CaseDraft, type HealthCase, finishCase } from '../health-case.ts';
import { logSentence, words } from '../words.ts';

const marksPerPrompt = 12;
const shortestTokens = 500;

export interface AskedLength {
  readonly length: number;
  readonly passed: boolean;
}

/** Calls beyond one for each length: to ask a failed one again, and to narrow down where prompts are cut. */
const furtherCalls = 3;

export function lengthCount(maxPromptTokens: number): number {
  return doublings(maxPromptTokens).length + furtherCalls;
}

function doublings(maxPromptTokens: number): readonly number[] {
  const lengths: number[] = [];
  for (let tokens = shortestTokens; tokens < maxPromptTokens; tokens *= 2)
    lengths.push(charactersOfTokens(tokens));
  return [...lengths, charactersOfTokens(maxPromptTokens)];
}

/**
 * The length of the next prompt, in characters.
 *
 * @param asked all prompts before it, with the lengths that this function returned for them
 */
export function nextLength(maxPromptTokens: number, asked: readonly AskedLength[]): number {
  const lengths = doublings(maxPromptTokens);
  const longestPassed = Math.max(0, ...asked.filter(({ passed }) => passed).map(({ length }) => length));
  // A length that failed and passed, or that a longer one passed, was a slip.
  const failed = asked.filter(({ passed, length }) => !passed && length > longestPassed);
  const shortestFailed = Math.min(...failed.map(({ length }) => length));
  if (failed.length === 1) return shortestFailed;
  // The longest prompt shows best which part is missing.
  if (failed.length === 2) return lengths.at(-1) ?? shortestFailed;
  if (failed.length > 2) return Math.round((longestPassed + shortestFailed) / 2);
  return lengths.find((length) => length > longestPassed) ?? lengths.at(-2) ?? longestPassed;
}

export function lengthCase(random: Random, characters: number, number: number): HealthCase {
  return finishCase(writeLength(random, characters), {
    id: `length-${number}`,
    part: 'delivery',
    topic: 'length',
  });
}

function writeLength(random: Random, characters: number): CaseDraft {
  const marks = random.sample(words, marksPerPrompt);
  const question =
    `The log below has ${marksPerPrompt} lines of the form "Mark: word". Find all of them and list their words in the ` +
    `order in which they stand. End your reply with one line: "ANSWER:", then the words, with commas between them.`;
  const room = characters - 2 * question.length - 20;
  const lines: string[] = [];
  let length = 0;
  let placed = 0;
  while (placed < marks.length || length < room) {
    // The first mark opens the log and the last one closes it.
    const isDue = placed < marks.length && length >= (placed * room) / (marks.length - 0.5);
    const line = isDue ? `Mark: ${marks[placed]}` : logSentence(random);
    if (isDue) placed += 1;
    lines.push(line);
    length += line.length + 1;
  }
  const prompt = [question, ...lines, question].join('\n');
  const answer = `ANSWER: ${marks.join(', ')}`;
  return {
    turns: [prompt],
    expect: [{ list: marks }],
    accepted: [answer, `Here they are.\n${answer}`],
    refused: [`ANSWER: ${marks.slice(1).join(', ')}`],
    sent: { marks: marks.map((word) => ({ word, at: prompt.indexOf(`Mark: ${word}`) / prompt.length })) },
  };
}
