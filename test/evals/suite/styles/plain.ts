/** Short replies without labels or markup. */
import {
  dateInWords,
  groupThousands,
  inSentence,
  itemsOf,
  joinWithAnd,
  quote,
  twelveHour,
  weekday,
} from './answer-forms.ts';
import { allButLine, type AnswerStyle } from './answer-style.ts';

export const plainStyles: readonly AnswerStyle[] = [
  { name: 'bare', write: ({ text }) => text },
  {
    name: 'bare-blank-lines',
    write: ({ text }, pick) => pick([`${text}\n`, `\n\n${text}\n`, `  ${text}  \n\n`]),
  },
  { name: 'bare-full-stop', types: allButLine, write: ({ text }) => `${text}.` },
  { name: 'bare-quoted', write: ({ text }) => quote(text) },
  {
    name: 'short-sentence',
    write: (answer, pick) => `${pick(["It's", 'It is', "That's"])} ${inSentence(answer)}.`,
  },
  {
    name: 'capitalised',
    types: ['word'],
    write: ({ text }, pick) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${pick(['', '.'])}`,
  },
  {
    name: 'list-with-and',
    types: ['list', 'set'],
    write: (answer, pick) => `${joinWithAnd(itemsOf(answer), pick([true, false]))}${pick(['', '.'])}`,
  },
  {
    name: 'list-in-brackets',
    types: ['list', 'set'],
    write: (answer) =>
      `${answer.type === 'set' ? '{' : '['}${itemsOf(answer).join(', ')}${answer.type === 'set' ? '}' : ']'}`,
  },
  { name: 'one-item-per-line', types: ['list', 'set'], write: (answer) => itemsOf(answer).join('\n') },
  {
    name: 'reordered-set',
    types: ['set'],
    write: (answer, pick) => pick([itemsOf(answer).toReversed(), itemsOf(answer).toSorted()]).join(', '),
  },
  {
    name: 'natural-form',
    types: ['number', 'date', 'time'],
    write: (answer, pick) => {
      if (answer.type === 'date') return dateInWords(answer.value, pick);
      if (answer.type === 'time')
        return twelveHour(
          answer.value,
          pick([
            { am: ' AM', pm: ' PM' },
            { am: ' a.m.', pm: ' p.m.' },
          ]),
        );
      return groupThousands(answer.text, ',');
    },
  },
  {
    name: 'computed-form',
    types: ['number', 'date', 'time'],
    write: (answer) => {
      if (answer.type === 'date') return `${weekday(answer.value)}, ${answer.text}`;
      if (answer.type === 'time') return `${answer.text}:00`;
      return answer.text.includes('.') ? `${answer.text}0` : `${answer.text}.0`;
    },
  },
];
