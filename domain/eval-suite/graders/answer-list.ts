/** Grades a list of words in a given order: on one line with commas, or one word per line. */
import type { Grader } from './grader.ts';
import { quote } from './grader.ts';
import { describeNotes, readAnswer } from './read-answer.ts';

type AnswerListParameters = {
  readonly expected: readonly string[];
};

const bullet = /^(?:[-*•]|\d{1,3}[.)])\s{1,4}/;

export const answerList: Grader<AnswerListParameters> = {
  name: 'answer-list',
  grade({ expected }, reply) {
    const wanted = `Expected the list ${quote(expected.join(', '))}`;
    const answer = readAnswer(reply);
    if (answer === null) return { passed: false, message: `${wanted}, found ${quote(reply.trim())}.` };
    const { items, notes } = readList(answer.text);
    const found = describeNotes([...answer.notes, ...notes]);
    const different = expected.findIndex((item, position) => items[position] !== item);
    if (different >= 0) {
      const place = `item ${different + 1} is ${quote(items[different] ?? '')} instead of ${quote(expected[different] ?? '')}`;
      return { passed: false, message: `${wanted}, found ${quote(items.join(', '))}: ${place}${found}.` };
    }
    if (items.length > expected.length) {
      return {
        passed: false,
        message: `${wanted}, found ${items.length - expected.length} more items${found}.`,
      };
    }
    return { passed: true, message: `${wanted} and found it${found}.` };
  },
};

/** The items, and notes on what was ignored. */
export function readList(text: string): { items: readonly string[]; notes: readonly string[] } {
  const notes: string[] = [];
  let body = text.endsWith('.') ? text.slice(0, -1) : text;
  if (body.startsWith('[') && body.endsWith(']')) {
    body = body.slice(1, -1);
    notes.push('brackets removed');
  }
  const separator = body.includes('\n') ? '\n' : (/,|->|→/.exec(body)?.[0] ?? ',');
  const perLine = separator === '\n';
  if (separator !== ',') notes.push(perLine ? 'read one item per line' : 'arrows read as commas');
  const items = body.split(separator).map((item) => {
    const bare = item.trim().replace(/,$/, '').replace(bullet, '');
    return /^(["'`]).*\1$/.test(bare) ? bare.slice(1, -1) : bare;
  });
  return { items: perLine ? items.filter((item) => item !== '') : items, notes };
}
