/**
 * Sentences that a model could write on its way to an answer. They hold other values, and never state the final answer
 * as such.
 */
import type { Pick, StyledAnswer } from './answer-style.ts';

const otherWords = ['amber', 'slate', 'cobalt', 'walnut', 'copper', 'meadow', 'harbor', 'violet'] as const;

/** A word that is neither among `taken` nor part of one of them. */
export function pickOtherWord(taken: readonly string[], pick: Pick): string {
  const lowerCase = taken.map((word) => word.toLowerCase());
  return pick(
    otherWords.filter((word) => !lowerCase.some((used) => used.includes(word) || word.includes(used))),
  );
}

/**
 * Two or three sentences, the same ones for the same value, so that composed styles do not contradict each other. Uses
 * `value` only: in a composed style, `text` holds the reply of the inner style.
 */
export function writeWorking(answer: StyledAnswer): string[] {
  const pick = pickByValue(String(answer.value));
  switch (answer.type) {
    case 'number':
      return numberWorking(answer.value, pick);
    case 'word': {
      const first = pickOtherWord([answer.value], pick);
      const second = pickOtherWord([answer.value, first], pick);
      return [
        `There are 3 candidates left: ${first}, ${answer.value} and ${second}.`,
        `Rule 2 excludes ${first}.`,
        `Rule 4 excludes ${second}, which leaves one.`,
      ];
    }
    case 'list':
    case 'set': {
      const dropped = pick([1, 2, 3]);
      return [
        `The input has ${answer.value.length + dropped} entries.`,
        `Rule ${pick([2, 3])} removes ${dropped} of them.`,
      ];
    }
    case 'date': {
      const days = pick([3, 12, 45]);
      return [`The starting date is ${moveDate(answer.value, -days)}.`, `The rule says to add ${days} days.`];
    }
    case 'time': {
      const minutes = pick([25, 50, 95]);
      return [
        `The first entry is at ${moveTime(answer.value, -minutes)}.`,
        `It lasts ${minutes} minutes, and there are no breaks.`,
      ];
    }
    case 'digits':
      return [
        `The code has ${answer.value.length} digits.`,
        `The check digit is computed modulo ${pick([7, 9, 11])}.`,
      ];
    case 'line':
      return [
        `There are ${pick([4, 6, 9])} lines that match.`,
        `Only 1 of them also satisfies rule ${pick([2, 3])}.`,
      ];
  }
}

export function moveDate(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

export function moveTime(time: string, minutes: number): string {
  const moved = (((Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5)) + minutes) % 1440) + 1440) % 1440;
  return [Math.floor(moved / 60), moved % 60].map((part) => String(part).padStart(2, '0')).join(':');
}

function numberWorking(value: number, pick: Pick): string[] {
  const added = pick([3, 17, 40, 125]);
  const decimals = String(value).split('.')[1]?.length ?? 0;
  const start = (value - added).toFixed(decimals);
  return [
    `Step one gives ${start}.`,
    `Step two adds ${added}.`,
    `Together: ${start} + ${added} = ${value.toFixed(decimals)}.`,
  ];
}

function pickByValue(value: string): Pick {
  const sum = Array.from(value).reduce((total, character) => total + (character.codePointAt(0) ?? 0), 0);
  return (items) => {
    const item = items[sum % items.length];
    if (item === undefined) throw new RangeError('There is nothing to pick from.');
    return item;
  };
}
