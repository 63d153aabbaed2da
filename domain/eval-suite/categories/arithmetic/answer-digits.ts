/** Grades a number in a given base. Letter case, prefix, leading zeros and digit grouping are ignored. */
import type { Grader } from '../../graders/grader.ts';
import { quote } from '../../graders/grader.ts';
import { describeNotes, readAnswer } from '../../graders/read-answer.ts';

/** `expected` in upper case, without leading zeros. */
type AnswerDigitsParameters = {
  readonly expected: string;
  readonly base: number;
};

const maxDigits = 120;
const prefixes: Readonly<Record<number, string>> = { 2: '0B', 8: '0O', 16: '0X' };

export const answerDigits: Grader<AnswerDigitsParameters> = {
  name: 'answer-digits',
  grade({ expected, base }, reply) {
    const answer = readAnswer(reply);
    const wanted = `Expected ${expected} in base ${base}`;
    const found = answer === null ? null : readDigits(answer.text, base);
    if (answer === null || found === null) {
      return { passed: false, message: `${wanted}, found no such number in ${quote(reply.trim())}.` };
    }
    const notes = describeNotes([...answer.notes, ...found.notes]);
    return { passed: found.digits === expected, message: `${wanted}, found ${found.digits}${notes}.` };
  },
};

function readDigits(text: string, base: number): { digits: string; notes: readonly string[] } | null {
  if (text.length > maxDigits) return null;
  const notes: string[] = [];
  let digits = text.toUpperCase().replace(/\.$/, '');
  const suffix = [
    `_${base}`,
    `_{${base}}`,
    `(${base})`,
    ` (BASE ${base})`,
    ` IN BASE ${base}`,
    ` BASE ${base}`,
  ].find((ending) => digits.endsWith(ending));
  if (suffix !== undefined) {
    digits = digits.slice(0, -suffix.length);
    notes.push('base mark ignored');
  }
  const prefix = prefixes[base];
  if (prefix !== undefined && digits.startsWith(prefix)) {
    digits = digits.slice(prefix.length);
    notes.push('prefix ignored');
  }
  const joined = digits.replaceAll(/[ _]/g, '');
  if (joined !== digits) notes.push('digit grouping ignored');
  const allowed = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'.slice(0, base);
  if (joined === '' || Array.from(joined).some((digit) => !allowed.includes(digit))) return null;
  return { digits: joined.replace(/^0+(?=.)/, ''), notes };
}
