/** Replies that are wrong because of what their type of answer asks for. */
import { asJson } from './answer-forms.ts';
import type { AnswerStyle, Pick, StyledAnswer } from './answer-style.ts';
import { moveDate, moveTime } from './working.ts';
import {
  addItem,
  misspell,
  pickWrongAnswer,
  reorder,
  replaceItem,
  swapCase,
  withItems,
} from './wrong-answer.ts';

/** A bare or labelled reply that `change` derives from the answer's text. */
function changed(
  name: string,
  types: NonNullable<AnswerStyle['types']>,
  change: (answer: StyledAnswer, pick: Pick) => string,
): AnswerStyle {
  return { name, types, write: (answer, pick) => `${pick(['', 'Answer: '])}${change(answer, pick)}` };
}

function changedItems(
  name: string,
  types: NonNullable<AnswerStyle['types']>,
  change: (items: readonly string[], pick: Pick) => readonly string[],
): AnswerStyle {
  return changed(name, types, (answer, pick) =>
    answer.type === 'list' || answer.type === 'set' ? withItems(answer, change(answer.value, pick)).text : '',
  );
}

const numbers: readonly AnswerStyle[] = [
  changed('percent', ['number'], ({ text }) => `${text === '0' ? '1' : text}%`),
  changed('magnitude', ['number'], ({ text }, pick) =>
    text === '0' ? '1 thousand' : `${text}${pick([' thousand', ' million', 'k', ' dozen'])}`,
  ),
  changed('wrong-group-separator', ['number'], ({ text }) => {
    const thousandth = Number(text) / 1000;
    return thousandth === 0 ? '1.000' : thousandth.toFixed((text.split('.')[1]?.length ?? 0) + 3);
  }),
  changed('other-sign', ['number'], ({ text }) => {
    if (Number(text) === 0) return '-1';
    return text.startsWith('-') ? text.slice(1) : `-${text}`;
  }),
  changed('not-computed', ['number'], ({ text }) => unevaluated(text)),
  changed(
    'only-a-bound',
    ['number'],
    ({ text }, pick) => `${pick(['more than', 'less than', 'at least'])} ${text}`,
  ),
  changed('around', ['number'], ({ text }) => `somewhere around ${text}, give or take 2`),
  changed('range', ['number'], ({ text }) => `between ${text} and ${Number(text) + 5}`),
];

const lists: readonly AnswerStyle[] = [
  changedItems('other-order', ['list'], (items) => reorder(items)),
  changedItems('missing-item', ['list', 'set'], (items, pick) => {
    if (items.length < 2) return replaceItem(items, pick);
    return pick([items.slice(1), items.slice(0, -1)]);
  }),
  changedItems('extra-item', ['list', 'set'], (items, pick) => addItem(items, pick)),
  changedItems('other-item', ['list', 'set'], (items, pick) => replaceItem(items, pick)),
  changedItems('repeated-item', ['list'], (items) => [...items, ...items.slice(-1)]),
  changedItems('list-twice', ['list'], (items) => [...items, ...items]),
  {
    name: 'json-other-order',
    types: ['list'],
    write: (answer) =>
      answer.type === 'list' ? `{"answer": ${asJson(withItems(answer, reorder(answer.value)))}}` : '',
  },
];

const datesAndTimes: readonly AnswerStyle[] = [
  changed('slash-date', ['date'], ({ text }) => {
    const [year, month, day] = (ambiguous(text) ? text : moveDate(text, 1)).split('-');
    return `${day}/${month}/${year}`;
  }),
  changed('swapped-month', ['date'], ({ text }) => {
    const [year, month, day] = text.split('-');
    return ambiguous(text) ? `${year}-${day}-${month}` : moveDate(text, -31);
  }),
  changed('no-year', ['date'], ({ text }) => text.slice(5)),
  changed('month-only', ['date'], ({ text }) => text.slice(0, 7)),
  changed('two-dates', ['date'], ({ text }) => `${text} to ${moveDate(text, 2)}`),
  changed('neighbouring-day', ['date'], ({ text }, pick) => moveDate(text, pick([-1, 1]))),
  changed('other-half-of-day', ['time'], ({ text }) => {
    const hour = Number(text.slice(0, 2));
    return `${hour % 12 === 0 ? 12 : hour % 12}${text.slice(2)} ${hour < 12 ? 'PM' : 'AM'}`;
  }),
  changed('twelve-hours-off', ['time'], ({ text }) => moveTime(text, 720)),
  changed('neighbouring-minute', ['time'], ({ text }, pick) => moveTime(text, pick([-1, 1]))),
  changed('two-times', ['time'], ({ text }) => `${text}–${moveTime(text, 30)}`),
];

const texts: readonly AnswerStyle[] = [
  changed('zero-lost', ['digits'], ({ text }) =>
    text.startsWith('0') ? text.replace(/^0(?=.)/, '') : `0${text}`,
  ),
  changed('zeros-lost', ['digits'], ({ text }) =>
    text.startsWith('0') ? text.replace(/^0+(?=.)/, '') : `00${text}`,
  ),
  changed('missing-digit', ['digits'], ({ text }) =>
    text.length > 1 ? text.slice(0, -1) : `${text}${text}`,
  ),
  changed('extra-digit', ['digits'], ({ text }, pick) => `${text}${pick(['0', '7'])}`),
  changed('misspelt', ['word'], ({ text }) => misspell(text)),
  changed('joined-word', ['word'], ({ text }) => `${text}stone`),
  changed('hyphenated-word', ['word'], ({ text }) => `non-${text}`),
  changed(
    'other-word-added',
    ['word'],
    (answer, pick) => `${answer.text}, ${pickWrongAnswer(answer, pick).text}`,
  ),
  changed('other-case', ['line'], ({ text }) => swapCase(text)),
  changed('all-upper-or-lower-case', ['line'], ({ text }) => {
    const written = [text.toLowerCase(), text.toUpperCase()];
    return written.find((form) => form !== text) ?? swapCase(text);
  }),
  changed('line-cut', ['line'], ({ text }) => text.split(' ').slice(0, -1).join(' ') || `${text} ${text}`),
  changed('line-extended', ['line'], ({ text }) => `${text} and more`),
];

export const wrongByType: readonly AnswerStyle[] = [...numbers, ...lists, ...datesAndTimes, ...texts];

/** A sum that would give the number, if somebody computed it. */
export function unevaluated(number: string): string {
  return `${(Number(number) - 3).toFixed(number.split('.')[1]?.length ?? 0)} + 3`;
}

/** Whether day and month can be read either way, with different results. */
function ambiguous(date: string): boolean {
  return Number(date.slice(8)) <= 12 && date.slice(5, 7) !== date.slice(8);
}
