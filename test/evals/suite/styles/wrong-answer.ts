/** Values that are close to a right answer, and wrong. */
import type { Pick, StyledAnswer } from './answer-style.ts';
import { moveDate, moveTime, pickOtherWord } from './working.ts';

/** A wrong answer of the same type. */
export function pickWrongAnswer(answer: StyledAnswer, pick: Pick): StyledAnswer {
  switch (answer.type) {
    case 'number': {
      const value = answer.value + pick([1, -1, 2, 10, -10, 100]);
      const text = value.toFixed(answer.text.split('.')[1]?.length ?? 0);
      return { type: 'number', value: Number(text), text };
    }
    case 'word':
      return sameText('word', pick([pickOtherWord([answer.value], pick), misspell(answer.value)]));
    case 'list':
      return withItems(
        answer,
        pick([reorder(answer.value), replaceItem(answer.value, pick), addItem(answer.value, pick)]),
      );
    case 'set':
      return withItems(answer, pick([replaceItem(answer.value, pick), addItem(answer.value, pick)]));
    case 'date':
      return sameText('date', moveDate(answer.value, pick([-1, 1, 7, -30, 365])));
    case 'time':
      return sameText('time', moveTime(answer.value, pick([-1, 1, 5, 60, -60])));
    case 'digits':
      return sameText('digits', changeDigit(answer.value, pick));
    case 'line':
      return sameText('line', pick([swapCase(answer.value), misspell(answer.value), `${answer.value} too`]));
  }
}

/** The same list or set with other items, joined the way its text is. Other answers stay as they are. */
export function withItems(answer: StyledAnswer, items: readonly string[]): StyledAnswer {
  if (answer.type !== 'list' && answer.type !== 'set') return answer;
  const [first = '', second] = answer.value;
  const end = second === undefined ? -1 : answer.text.indexOf(second, first.length);
  const separator = end === -1 ? ', ' : answer.text.slice(first.length, end);
  return { type: answer.type, value: items, text: items.join(separator) };
}

/** Another order of the same items; another last item if every order is the same. */
export function reorder(items: readonly string[]): readonly string[] {
  const orders = [items.toReversed(), [...items.slice(1), ...items.slice(0, 1)]];
  const written = items.join('\n');
  return orders.find((order) => order.join('\n') !== written) ?? [...items.slice(0, -1), `${items.at(-1)}x`];
}

export function addItem(items: readonly string[], pick: Pick): readonly string[] {
  return [...items, otherItem(items, pick)];
}

export function replaceItem(items: readonly string[], pick: Pick): readonly string[] {
  const place = pick(items.map((_item, index) => index));
  return items.with(place, otherItem(items, pick));
}

/** Two different neighbors swapped; doubled if the word has none. */
export function misspell(word: string): string {
  for (let place = word.length - 1; place > 0; place -= 1) {
    const [left, right] = [word.charAt(place - 1), word.charAt(place)];
    if (/^[a-z]{2}$/.test(left + right) && left !== right) {
      return `${word.slice(0, place - 1)}${right}${left}${word.slice(place + 1)}`;
    }
  }
  return `${word}${word}`;
}

/** Upper case becomes lower case and the other way round; a text without letters is doubled. */
export function swapCase(text: string): string {
  const swapped = text.replaceAll(/\p{L}/gu, (letter) => {
    const upper = letter.toUpperCase();
    return letter === upper ? letter.toLowerCase() : upper;
  });
  return swapped === text ? `${text} ${text}` : swapped;
}

function changeDigit(digits: string, pick: Pick): string {
  const places = Array.from(digits, (_digit, index) => index);
  const place = pick(places);
  return `${digits.slice(0, place)}${(Number(digits.charAt(place)) + pick([1, 4, 7])) % 10}${digits.slice(place + 1)}`;
}

function otherItem(items: readonly string[], pick: Pick): string {
  const numbers = items.map(Number);
  if (numbers.every((number) => Number.isSafeInteger(number)))
    return String(Math.max(...numbers) + pick([1, 2, 5]));
  return pickOtherWord(items, pick);
}

function sameText<Type extends 'word' | 'date' | 'time' | 'digits' | 'line'>(type: Type, value: string) {
  return { type, value, text: value };
}
