/** Grades a short answer that is a set of names: all of them and no others, in any order. */
import { readList } from '../../graders/answer-list.ts';
import type { Grader } from '../../graders/grader.ts';
import { quote } from '../../graders/grader.ts';
import { describeNotes, readAnswer } from '../../graders/read-answer.ts';

type AnswerSetParameters = {
  readonly expected: readonly string[];
};

export const answerSet: Grader<AnswerSetParameters> = {
  name: 'answer-set',
  grade({ expected }, reply) {
    const wanted = `Expected the names ${quote(expected.join(', '))} in any order`;
    const answer = readAnswer(reply);
    if (answer === null) return { passed: false, message: `${wanted}, found ${quote(reply.trim())}.` };
    const { items, notes } = readList(answer.text);
    const names = items.flatMap((item) => item.split(/\band\b/i)).map((name) => name.trim().toLowerCase());
    const found = new Set(names.filter((name) => name !== ''));
    const liberties = describeNotes([...answer.notes, ...notes]);
    const missing = expected.filter((item) => !found.has(item.toLowerCase()));
    if (missing.length > 0) {
      return {
        passed: false,
        message: `${wanted}, found no ${quote(missing[0] ?? '')} in ${quote(answer.text)}${liberties}.`,
      };
    }
    return {
      passed: found.size === expected.length,
      message: `${wanted}, found ${found.size === expected.length ? 'exactly these' : quote(answer.text)}${liberties}.`,
    };
  },
};
