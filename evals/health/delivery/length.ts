/** Prompts of a given length: marks stand all over a log, and the question stands at both ends. */
import type { Random } from '../../random.ts';
import { type CaseDraft, type HealthCase, finishCase } from '../health-case.ts';
import { logSentence, words } from '../words.ts';

const marksPerPrompt = 12;

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
