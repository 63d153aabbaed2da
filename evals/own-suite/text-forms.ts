/** The forms in which texts are compared: trimmed, in NFC, and without what a grader ignores. */
import { Type } from 'typebox';
import { canonicalDecimal, parseDecimal } from './decimal.ts';
import { normalizeText } from '#runtime/normalize-text.ts';

export const ignorable = ['case', 'whitespace', 'punctuation', 'accents'] as const;
export type Ignorable = (typeof ignorable)[number];

export const Ignore = Type.Array(Type.Enum([...ignorable]), { minItems: 1, maxItems: ignorable.length });

/** Keeps the points and signs of numbers, as in `3.14`, `-5` and `50%`. */
function withoutPunctuation(text: string): string {
  return text.replaceAll(/\p{P}/gu, (sign, at: number) => {
    const before = text.charAt(at - 1);
    const after = text.charAt(at + sign.length);
    const inside = isDigit(before) && isDigit(after);
    const leads = isDigit(after) && !/[\p{L}\p{N}]/u.test(before) && /[-.]/.test(sign);
    return inside || leads || (sign === '%' && isDigit(before)) ? sign : '';
  });
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9';
}

/** @param ignore what makes no difference */
export function comparable(text: string, ignore: readonly Ignorable[] = []): string {
  let form = normalizeText(text, 'NFC');
  if (ignore.includes('accents'))
    form = normalizeText(normalizeText(form, 'NFD').replaceAll(/\p{M}+/gu, ''), 'NFC');
  if (ignore.includes('case')) form = form.toLowerCase();
  if (ignore.includes('punctuation')) form = withoutPunctuation(form);
  if (ignore.includes('whitespace')) form = form.replaceAll(/\s+/g, ' ');
  return form.trim();
}

/** As `comparable`, and with numbers as decimals: `5` and `5.0` are equal, but the code `05` is another text. */
export function comparableItem(text: string, ignore: readonly Ignorable[] = []): string {
  const plain = text.trim();
  const decimal = /^[+-]?0\d/.test(plain) ? null : parseDecimal(plain);
  return decimal === null ? comparable(text, ignore) : canonicalDecimal(decimal);
}

const shownMax = 200;

/** A text as results quote it. */
export function quoteText(text: string): string {
  const shown = Array.from(text.slice(0, 2 * shownMax))
    .slice(0, shownMax)
    .join('');
  return `"${shown}${shown.length < text.length ? '…' : ''}"`;
}
