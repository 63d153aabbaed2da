/** Unusual characters, spaces and line ends. */
import { groupThousands, twelveHour } from './answer-forms.ts';
import type { AnswerStyle } from './answer-style.ts';
import { writeWorking } from './working.ts';

const noBreakSpace = '\u00a0';
const narrowNoBreakSpace = '\u202f';

export const typographyStyles: readonly AnswerStyle[] = [
  { name: 'full-width-colon', write: ({ text }) => `Answer：${text}` },
  {
    name: 'full-width-value',
    types: ['number', 'digits', 'date', 'time'],
    write: ({ text }) => text.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  },
  { name: 'no-break-space', write: ({ text }) => `Answer:${noBreakSpace}${text}` },
  {
    name: 'carriage-returns',
    write: (answer) => `${writeWorking(answer).join('\r\n')}\r\n\r\nAnswer: ${answer.text}\r\n`,
  },
  { name: 'curly-quotes', write: ({ text }) => `“${text}”` },
  { name: 'byte-order-mark', write: ({ text }) => `\ufeff${text}` },
  {
    name: 'spacing-at-colon',
    write: ({ text }, pick) =>
      pick([`Answer:${text}`, `Answer : ${text}`, `Answer:\t${text}`, `Answer:   ${text}  `]),
  },
  {
    name: 'typographic-value',
    types: ['number', 'date', 'time'],
    write: (answer) => {
      if (answer.type === 'date') return answer.text.replaceAll('-', '\u2011');
      if (answer.type === 'time') {
        return twelveHour(answer.value, { am: `${narrowNoBreakSpace}AM`, pm: `${narrowNoBreakSpace}PM` });
      }
      return groupThousands(answer.text, narrowNoBreakSpace).replace('-', '\u2212');
    },
  },
  { name: 'bold-letters-label', write: ({ text }) => `𝗔𝗻𝘀𝘄𝗲𝗿: ${text}` },
];
