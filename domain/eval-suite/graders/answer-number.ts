/** Grades a short answer that is one whole number. Digit grouping, a unit and a full stop are ignored. */
import type { Grader } from './grader.ts';
import { quote } from './grader.ts';
import { describeNotes, readAnswer } from './read-answer.ts';

/** `units` are lower-case words that may follow the number. */
type AnswerNumberParameters = {
  readonly expected: string;
  readonly units?: readonly string[];
};

const maxNumberCharacters = 60;

export const answerNumber: Grader<AnswerNumberParameters> = {
  name: 'answer-number',
  grade({ expected, units = [] }, reply) {
    const answer = readAnswer(reply);
    const found = answer === null ? null : readWholeNumber(answer.text, units);
    if (answer === null || found === null) {
      return {
        passed: false,
        message: `Expected the number ${expected}, found no single number in ${quote(reply.trim())}.`,
      };
    }
    const notes = describeNotes([...answer.notes, ...found.notes]);
    return {
      passed: found.value === expected,
      message: `Expected the number ${expected}, found ${found.value}${notes}.`,
    };
  },
};

/** Plain digits with an optional minus sign, or null when `text` is not exactly one whole number. */
export function readWholeNumber(
  text: string,
  units: readonly string[],
): { value: string; notes: readonly string[] } | null {
  if (text.length > maxNumberCharacters) return null;
  const notes: string[] = [];
  let rest = text.replace(/^=\s*/, '');
  if (rest.endsWith('.')) rest = rest.slice(0, -1);
  const lowered = rest.toLowerCase();
  const unit = units.find((word) => lowered.endsWith(` ${word}`));
  if (unit !== undefined) {
    rest = rest.slice(0, -unit.length).trim();
    notes.push('unit ignored');
  }
  rest = rest.replace(/[−–]/, '-');
  if (/^[+-]?\d{1,3}(?:[,_'’ \u00a0\u202f]\d{3})+(?:\.0{1,6})?$/.test(rest)) {
    rest = rest.replaceAll(/[,_'’ \u00a0\u202f]/g, '');
    notes.push('digit grouping ignored');
  }
  const parts = /^([+-]?)0*(\d+)(?:\.0{1,6})?$/.exec(rest);
  if (parts === null) return null;
  const digits = parts[2] ?? '';
  return { value: parts[1] === '-' && digits !== '0' ? `-${digits}` : digits, notes };
}
