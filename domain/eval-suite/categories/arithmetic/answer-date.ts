/** Grades a short answer that is a date: `2031-03-05`, or with the English name of the month. */
import type { Grader } from '../../graders/grader.ts';
import { quote } from '../../graders/grader.ts';
import { describeNotes, readAnswer } from '../../graders/read-answer.ts';

/** `expected` in the form YYYY-MM-DD. */
type AnswerDateParameters = {
  readonly expected: string;
};

const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');

export const answerDate: Grader<AnswerDateParameters> = {
  name: 'answer-date',
  grade({ expected }, reply) {
    const answer = readAnswer(reply);
    const found = answer === null ? null : readDate(answer.text);
    if (answer === null || found === null) {
      return {
        passed: false,
        message: `Expected the date ${expected}, found no date in ${quote(reply.trim())}.`,
      };
    }
    const notes = describeNotes([
      ...answer.notes,
      ...(found === answer.text ? [] : ['other date format accepted']),
    ]);
    return { passed: found === expected, message: `Expected the date ${expected}, found ${found}${notes}.` };
  },
};

function readDate(text: string): string | null {
  const plain = text.toLowerCase().replace(/\.$/, '');
  const iso = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})$/.exec(plain);
  if (iso !== null) return isoDate(iso[1], Number(iso[2]), iso[3]);
  const dayFirst = /^(\d{1,2})(?:st|nd|rd|th)?\.? (?:of )?([a-z]{3,9})\.?,? (\d{4})$/.exec(plain);
  if (dayFirst !== null) return isoDate(dayFirst[3], monthNumber(dayFirst[2]), dayFirst[1]);
  const monthFirst = /^([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})$/.exec(plain);
  if (monthFirst !== null) return isoDate(monthFirst[3], monthNumber(monthFirst[1]), monthFirst[2]);
  return null;
}

function monthNumber(name: string | undefined): number {
  return months.indexOf((name ?? '').slice(0, 3)) + 1;
}

function isoDate(year: string | undefined, month: number, day: string | undefined): string | null {
  if (month < 1 || month > 12) return null;
  return `${year ?? ''}-${String(month).padStart(2, '0')}-${(day ?? '').padStart(2, '0')}`;
}
