/**
 * The frame of the graders for verifiable instructions, after IFEval (Zhou et al. 2023). The strict verdict is on the
 * reply as it is. The loose one ignores an opening line, a closing line and emphasis, as in section 2.2 of the paper.
 * An empty reply follows no instruction.
 */
import type { Grader } from '../../../graders/grader.ts';
import { maxLooseCharacters, maxWritingCharacters } from '../../../limits.ts';

export type InstructionName =
  | 'all-capitals'
  | 'all-lowercase'
  | 'bullet-count'
  | 'capital-word-frequency'
  | 'constrained-response'
  | 'end-phrase'
  | 'forbidden-words'
  | 'highlight-count'
  | 'json-format'
  | 'keyword-existence'
  | 'keyword-frequency'
  | 'letter-frequency'
  | 'no-comma'
  | 'nth-paragraph-first-word'
  | 'paragraph-count'
  | 'placeholder-count'
  | 'postscript'
  | 'quotation'
  | 'repeat-request'
  | 'section-count'
  | 'sentence-count'
  | 'title'
  | 'two-responses'
  | 'word-count';

export interface InstructionGrader<Parameters = unknown> extends Grader<Parameters> {
  readonly name: InstructionName;
}

/** The message is built from `expected` and `found`. */
export interface Judgement {
  readonly passed: boolean;
  readonly expected: string;
  readonly found: string | number;
}

/** @param judge takes time linear in the reply */
export function instructionGrader<Parameters>(
  name: InstructionName,
  judge: (parameters: Parameters, reply: string) => Judgement,
): InstructionGrader<Parameters> {
  return {
    name,
    grade(parameters, reply) {
      if (reply.length > maxWritingCharacters) {
        const { expected } = judge(parameters, '');
        return {
          passed: false,
          message: `Expected ${expected}, found ${reply.length} characters, too many to read.`,
        };
      }
      const strict = judge(parameters, reply);
      if (reply.trim() === '') {
        return { passed: false, message: `Expected ${strict.expected}, found an empty reply.` };
      }
      const message = `Expected ${strict.expected}, found ${strict.found}.`;
      if (strict.passed || reply.length > maxLooseCharacters) return { passed: strict.passed, message };
      const forgiven = looseReadings(reply).find(
        ({ text }) => text.trim() !== '' && judge(parameters, text).passed,
      );
      if (forgiven === undefined) return { passed: false, message };
      return {
        passed: false,
        passedLoose: true,
        message: `${message} Passes loosely, without ${forgiven.without}.`,
      };
    },
  };
}

function looseReadings(reply: string): { text: string; without: string }[] {
  const lines = reply.split('\n');
  const cuts = [
    { text: reply, without: '' },
    { text: lines.slice(1).join('\n').trim(), without: 'the first line' },
    { text: lines.slice(0, -1).join('\n').trim(), without: 'the last line' },
    { text: lines.slice(1, -1).join('\n').trim(), without: 'the first and the last line' },
  ];
  const plain = cuts.map(({ text, without }) => ({
    text: text.replaceAll('*', ''),
    without: without === '' ? 'asterisks' : `${without} and asterisks`,
  }));
  return [...cuts.slice(1), ...plain];
}

/** Parameters of a grader that counts. */
export type CountParameters = {
  readonly relation: 'at least' | 'fewer than';
  readonly count: number;
};

export function holds({ relation, count }: CountParameters, found: number): boolean {
  return relation === 'at least' ? found >= count : found < count;
}
