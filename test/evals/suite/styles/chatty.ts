/** Small talk, notes and explanations around the answer. */
import { inSentence } from './answer-forms.ts';
import { allButLine, type AnswerStyle } from './answer-style.ts';
import { writeWorking } from './working.ts';

export const chattyStyles: readonly AnswerStyle[] = [
  {
    name: 'friendly-opening',
    write: ({ text }, pick) =>
      `${pick(['Sure! Here is the answer:', 'Great question! Here you go:', 'In short:'])}\n\n${text}`,
  },
  {
    name: 'closing-phrase',
    write: ({ text }, pick) =>
      `Answer: ${text}\n\n${pick(['Let me know if you need anything else!', 'Hope this helps! 😊', 'Happy to explain the steps.'])}`,
  },
  {
    name: 'bracketed-note',
    types: allButLine,
    write: ({ text }, pick) =>
      `Answer: ${text} (${pick(['checked twice', 'as computed above', 'verified'])})`,
  },
  {
    name: 'note-below',
    write: ({ text }, pick) =>
      `${text}\n\n(${pick(['Note: I followed the rules exactly as given.', 'I verified this step by step.'])})`,
  },
  {
    name: 'emoji',
    write: ({ text }, pick) => `${pick(['✅', '🎯', '👉', '💡'])} ${pick(['', 'Answer: '])}${text}`,
  },
  {
    name: 'explanation-after',
    write: (answer, pick) =>
      `The answer is ${inSentence(answer)}.\n\n${pick(['Explanation', 'Here is how I got there'])}: ${writeWorking(answer).join(' ')}`,
  },
  {
    name: 'bold-in-sentence',
    write: (answer, pick) =>
      `${pick(['After checking every rule, the result is', 'Putting it all together, we get', "I'm confident that the answer is"])} **${inSentence(answer)}**.`,
  },
];
