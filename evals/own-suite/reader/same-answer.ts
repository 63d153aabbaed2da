/** Compares an answer with the right one, by the rules of its type. */
import type { AnswerType, AnswerValue, ReadAnswer, ReadOptions } from './answer.ts';
import { withoutLeadingZeros } from './parse-digits.ts';
import { parserOf } from './parsers.ts';

export type ExpectedAnswer = number | AnswerValue;

/** Whether a reply was readable and gives `expected`. Case matters in lists and lines, but not in words and sets. */
export function isRight(
  read: ReadAnswer,
  type: AnswerType,
  expected: ExpectedAnswer,
  options: ReadOptions = {},
): boolean {
  if (!read.ok) return false;
  if (type === 'line')
    return [read.value, ...(read.others ?? [])].some(
      (line) => plainLine(String(line)) === plainLine(String(expected)),
    );
  return keyOf(read.value, type, options) === keyOf(expected, type, options);
}

/**
 * Whether the text that was searched for the answer contains the right value: a right value in the wrong wrapping.
 */
export function isLooselyRight(read: ReadAnswer, expected: ExpectedAnswer): boolean {
  const text = plainLine(read.loose).toLowerCase();
  const values = typeof expected === 'object' ? expected : [String(expected)];
  let from = 0;
  for (const value of values) {
    const place = placeOf(text, plainLine(value).toLowerCase(), from);
    if (place < 0) return false;
    from = place + value.length;
  }
  return values.length > 0;
}

/** The position of `value` in `text` without an adjacent letter or digit, or -1. */
function placeOf(text: string, value: string, from: number): number {
  for (let place = text.indexOf(value, from); place >= 0; place = text.indexOf(value, place + 1)) {
    const beside = `${text.charAt(place - 1)} ${text.charAt(place + value.length)}`;
    if (!/[\p{L}\p{N}]/u.test(beside)) return place;
  }
  return -1;
}

function keyOf(value: ExpectedAnswer, type: AnswerType, options: ReadOptions): string {
  if (typeof value === 'object') {
    return JSON.stringify(
      type === 'set' ? [...new Set(value.map((item) => item.toLowerCase()))].toSorted() : value,
    );
  }
  const text = String(value);
  if (type === 'word') return text.toLowerCase();
  if (type === 'digits') {
    const digits = text.toUpperCase();
    return options.base === undefined ? digits : withoutLeadingZeros(digits);
  }
  return String(parserOf(type, options)(text) ?? text);
}

/** A line without differences that never matter: runs of spaces and a final full stop. */
function plainLine(text: string): string {
  return text
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replace(/(?<=[^.])\.$/, '');
}
