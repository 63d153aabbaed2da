/** The grader of a number that stands in the reply. */
import { Type } from 'typebox';
import { cleanTransport } from '#evals/own-suite/graders/clean-transport.ts';
import { dropReasoning } from '#evals/own-suite/graders/drop-reasoning.ts';
import { type Decimal, isWithin, maxDecimalCharacters, parseDecimal } from '../decimal.ts';
import { decimalIn, decimalOf, Numeric, writeExactJson } from '../exact-json.ts';
import { quoteText } from '../text-forms.ts';
import { grader, verdict } from './grader.ts';

/** Digits with what may belong to them. Whether they are a number is decided afterwards. */
const candidate = /[\p{L}_#]?[+\-−]?[\d.,'’_]+(?:(?<=\d)[eE][+-]?\d{1,3}(?!\d))?[\p{L}_]?/gu;
const grouped = /^\d{1,3}(?:([,'’_])\d{3})(?:\1\d{3})*(?:\.\d+)?$/;
const plain = /^(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d{1,3})?$/;

interface Found {
  readonly text: string;
  /** Null if the digits are not one clear number, as in `25.88.1` or `1,5`. */
  readonly value: Decimal | null;
}

/** The numbers of a text. Digits inside a word, such as `v2` or `A4`, are not one. */
export function numbersIn(text: string): readonly Found[] {
  const found: Found[] = [];
  for (const match of text.replaceAll(/(?<=\d)[   ](?=\d{3}(?!\d))/g, '_').matchAll(candidate)) {
    const raw = match[0];
    if (/^[\p{L}_#]/u.test(raw) || !/\d/.test(raw)) continue;
    const isUnit = /[\p{L}_]$/u.test(raw);
    const bare = withoutEnds((isUnit ? raw.slice(0, -1) : raw).replace('−', '-'));
    // A sign after a digit or a letter is a dash: `3-5`, `co-2`.
    const before = text.charAt(match.index - 1);
    const signed = /^[+-]/.test(bare) && /[\p{L}\p{N})]/u.test(before) ? bare.slice(1) : bare;
    found.push({ text: signed, value: readNumber(signed) });
  }
  return found;
}

/** Drops the marks of a sentence around a number. A point before it is part of it. */
function withoutEnds(text: string): string {
  let start = 0;
  let end = text.length;
  while (/[,'’_]/.test(text.charAt(start))) start += 1;
  while (text.charAt(start) === '.' && /[.,'’_]/.test(text.charAt(start + 1))) start += 1;
  while (end > start && /[.,'’_]/.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function readNumber(text: string): Decimal | null {
  if (text.length > maxDecimalCharacters) return null;
  const sign = /^[+-]/.exec(text)?.[0] ?? '';
  const digits = text.slice(sign.length);
  if (!grouped.test(digits) && !plain.test(digits)) return null;
  return parseDecimal(sign + digits.replaceAll(/[,'’_]/g, ''));
}

export const number = grader({
  name: 'number',
  stepsPerCharacter: 15,
  passes:
    'the one number in the reply lies `within` (absolute) or `within_percent` of it, bounds included; with `last: true` the last of several',
  schema: Type.Object(
    {
      number: Numeric,
      within: Type.Optional(Type.Number({ minimum: 0 })),
      within_percent: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
      last: Type.Optional(Type.Boolean()),
    },
    { additionalProperties: false },
  ),
  check(spec, { path }) {
    if (decimalIn(spec.number) === null)
      return [{ path: [...path, 'number'], message: '`number` must be a finite number.' }];
    return spec.within !== undefined && spec.within_percent !== undefined
      ? [{ path, message: '`number` takes `within` or `within_percent`, not both.' }]
      : [];
  },
  prepare(spec) {
    const wanted = decimalOf(spec.number);
    const tolerance =
      spec.within_percent === undefined
        ? { within: decimalOf(spec.within ?? 0) }
        : { percent: decimalOf(spec.within_percent) };
    const shown = writeExactJson(spec.number);
    const reach = spec.within_percent === undefined ? (spec.within ?? 0) : `${spec.within_percent} %`;
    const expected = reach === 0 ? shown : `${shown} within ${reach}`;
    return ({ text }) => {
      const spoken = dropReasoning(cleanTransport(text));
      const numbers = spoken === null ? [] : numbersIn(spoken);
      const chosen = spec.last === true ? numbers.at(-1) : numbers.length === 1 ? numbers[0] : undefined;
      if (chosen === undefined) {
        return verdict(false, expected, numbers.length === 0 ? 'no number' : `${numbers.length} numbers`);
      }
      if (chosen.value === null)
        return verdict(false, expected, `${quoteText(chosen.text)}, which is not one clear number`);
      return verdict(isWithin(chosen.value, wanted, tolerance), expected, chosen.text);
    };
  },
});
