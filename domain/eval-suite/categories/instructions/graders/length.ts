/**
 * Graders for instructions about length: sentences, words, paragraphs, and the first word of a paragraph.
 */
import { quote } from '../../../graders/grader.ts';
import { countSentences, countWords, splitParagraphs } from '../../../graders/count-units.ts';
import { type CountParameters, holds, instructionGrader } from './instruction-grader.ts';

export const sentenceCount = instructionGrader<CountParameters>('sentence-count', (parameters, reply) => {
  const found = countSentences(reply);
  return {
    passed: holds(parameters, found),
    expected: `${parameters.relation} ${parameters.count} sentences`,
    found,
  };
});

export const wordCount = instructionGrader<CountParameters>('word-count', (parameters, reply) => {
  const found = countWords(reply);
  return {
    passed: holds(parameters, found),
    expected: `${parameters.relation} ${parameters.count} words`,
    found,
  };
});

/** Paragraphs separated by lines of three asterisks. An empty paragraph fails the check. */
export const paragraphCount = instructionGrader<{ readonly count: number }>(
  'paragraph-count',
  ({ count }, reply) => {
    const paragraphs = splitAtLines(reply, '***');
    const empty = paragraphs.filter((paragraph) => paragraph.trim() === '').length;
    const found = empty === 0 ? `${paragraphs.length}` : `${paragraphs.length}, ${empty} of them empty`;
    return {
      passed: empty === 0 && paragraphs.length === count,
      expected: `${count} paragraphs separated by lines of ***`,
      found,
    };
  },
);

export const nthParagraphFirstWord = instructionGrader<{
  readonly paragraphs: number;
  readonly nth: number;
  readonly word: string;
}>('nth-paragraph-first-word', ({ paragraphs, nth, word }, reply) => {
  const found = splitParagraphs(reply);
  const first =
    /^[\p{L}\p{N}]{1,60}/u.exec((found[nth - 1] ?? '').trim().replace(/^[*_"'“‘#]{1,8}/, ''))?.[0] ?? '';
  return {
    passed: found.length === paragraphs && first.toLowerCase() === word.toLowerCase(),
    expected: `${paragraphs} paragraphs with blank lines between them and ${quote(word)} as the first word of paragraph ${nth}`,
    found: `${found.length} and ${quote(first)}`,
  };
});

/** The parts of `text` between lines that contain only `separator`. */
export function splitAtLines(text: string, separator: string): string[] {
  const parts: string[][] = [[]];
  for (const line of text.split('\n')) {
    if (line.trim() === separator) parts.push([]);
    else parts.at(-1)?.push(line);
  }
  return parts.map((lines) => lines.join('\n'));
}
