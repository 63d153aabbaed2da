/** A label before the answer, without markup. */
import { inSentence } from './answer-forms.ts';
import { allButLine, allButNumber, type AnswerStyle } from './answer-style.ts';

export const labelStyles: readonly AnswerStyle[] = [
  { name: 'answer-line', write: ({ text }) => `Answer: ${text}` },
  { name: 'answer-line-full-stop', types: allButLine, write: ({ text }) => `Answer: ${text}.` },
  { name: 'answer-line-other-case', write: ({ text }, pick) => `${pick(['ANSWER', 'answer'])}: ${text}` },
  { name: 'final-answer-line', write: ({ text }, pick) => `Final ${pick(['Answer', 'answer'])}: ${text}` },
  {
    name: 'the-answer-is',
    write: (answer, pick) =>
      `${pick(['The answer is', 'The correct answer is', 'Therefore, the answer is', 'Hence, my final answer is'])} ${inSentence(answer)}.`,
  },
  { name: 'the-answer-is-colon', write: ({ text }) => `The answer is: ${text}` },
  {
    name: 'label-on-its-own-line',
    write: ({ text }, pick) => `${pick(['Answer:', 'Final answer:'])}\n${text}`,
  },
  {
    name: 'short-label',
    write: ({ text }, pick) => `${pick(['A', 'Ans', 'Result', 'Solution', 'Output'])}: ${text}`,
  },
  {
    name: 'label-with-sign',
    types: allButNumber,
    write: ({ text }, pick) => `Answer ${pick(['-', '–', '—'])} ${text}`,
  },
  { name: 'label-with-arrow', write: ({ text }, pick) => `Answer ${pick(['→', '=>', '=', '->'])} ${text}` },
];
