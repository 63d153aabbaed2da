/**
 * The frame of the graders for verifiable instructions, after IFEval (Zhou et al. 2023): a strict verdict on the reply
 * as it stands, and a loose one that forgives an opening line, a closing line and emphasis, as section 2.2 of the
 * paper does. An empty reply follows no instruction.
 */
import { maxLooseCharacters, maxWritingCharacters } from '../../limits.ts';
import type { Grader } from '../grader.ts';

/** What a judgement says; the frame makes the sentence. */
export interface Judgement {
  readonly passed: boolean;
  readonly expected: string;
  readonly found: string | number;
}

/** Builds a grader from a judgement that takes time linear in the reply. */
export function instructionGrader<Parameters>(
  judge: (parameters: Parameters, reply: string) => Judgement,
): Grader<Parameters> {
  return {
    grade(parameters, reply) {
      if (reply.length > maxWritingCharacters) {
        const { expected } = judge(parameters, '');
        return {
          passed: false,
          message: `Expected ${expected}, found ${reply.length} characters, too many to be read.`,
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
