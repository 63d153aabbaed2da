import type { AnswerType } from '#evals/own-suite/reader/answer.ts';

export const answerTypes: readonly AnswerType[] = [
  'number',
  'word',
  'list',
  'set',
  'date',
  'time',
  'digits',
  'line',
];
