/**
 * A program without a model that answers cases of the suite: a language model wrote it in 35 minutes, from ten
 * transcripts of runs alone. It knows the kinds, and of the wordings those that occurred.
 */
import { answerBrief } from './brief.ts';
import { answerCalibration } from './calibration.ts';
import { answerCounting, answerExecution } from './execution.ts';
import { answerHops } from './hops.ts';
import { answerInjection } from './injection.ts';
import { answerSecret } from './secret.ts';
import { answerStructured } from './structured.ts';
import { type Messages, userTexts } from './text.ts';
import { answerTwins } from './twins.ts';
import { answerWriting } from './writing.ts';

export type Message = Messages[number];

type Rule = { when: RegExp; answer: (messages: Messages) => string };

const rules: readonly Rule[] = [
  { when: /of that person|the person who/, answer: answerHops },
  { when: /workshops?[\s\S]*paragraph|paragraph[\s\S]*workshop/, answer: answerBrief },
  { when: /parcel[\s\S]*\b[A-Z]{2}-\d{3}\b/, answer: answerStructured },
  { when: /"unknown"/, answer: answerCalibration },
  { when: /passphrase/, answer: answerSecret },
  {
    when: /parcel[\s\S]*\bkg\b[\s\S]*code words?|code words?[\s\S]*parcel[\s\S]*\bkg\b/,
    answer: answerInjection,
  },
  { when: /receipt[\s\S]*\bgate\b|\bgate\b[\s\S]*receipt/, answer: answerTwins },
  { when: /\b\d+ lines\b[\s\S]*\bword|lines[\s\S]*three words/, answer: answerWriting },
  {
    when: /opening balance|No account may|sit in a row|Start with the number|with a star|What is \d+ (?:times|plus|minus)/,
    answer: answerExecution,
  },
  { when: /occur exactly/, answer: answerCounting },
];

export const templateBot = (messages: Messages): string => {
  const opening = userTexts(messages)[0] ?? '';
  const rule = rules.find(({ when }) => when.test(opening));
  return rule?.answer(messages) ?? 'Answer: unknown';
};
