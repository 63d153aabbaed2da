/** Grades a short answer that is one line of text. */
import type { Grader } from './grader.ts';
import { quote } from './grader.ts';
import { describeNotes, readAnswer } from './read-answer.ts';

/** `caseSensitive`: letter case is part of the task. */
type AnswerTextParameters = {
  readonly expected: string;
  readonly caseSensitive: boolean;
  /** Other wordings that are also right. */
  readonly also?: readonly string[];
};

export const answerText: Grader<AnswerTextParameters> = {
  name: 'answer-text',
  grade({ expected, caseSensitive, also = [] }, reply) {
    const answer = readAnswer(reply);
    if (answer === null) {
      return { passed: false, message: `Expected ${quote(expected)}, found ${quote(reply.trim())}.` };
    }
    const fold = (text: string) => (caseSensitive ? text : text.toLowerCase());
    const wanted = fold(expected);
    const found = fold(answer.text);
    const withoutStop = found.endsWith('.') && !wanted.endsWith('.') ? found.slice(0, -1).trimEnd() : found;
    const notes = withoutStop === found ? answer.notes : [...answer.notes, 'full stop ignored'];
    return {
      passed: withoutStop === wanted || also.some((other) => withoutStop === fold(other)),
      message: `Expected ${quote(expected)}, found ${quote(answer.text)}${describeNotes(notes)}.`,
    };
  },
};
