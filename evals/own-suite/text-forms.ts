/** The forms in which texts are compared: trimmed, in NFC, and without what a grader ignores. */
import { Type } from 'typebox';
import { canonicalDecimal, parseDecimal } from './decimal.ts';
import { normalizeText } from '#runtime/normalize-text.ts';

const ignorable = ['case', 'whitespace', 'punctuation', 'accents'] as const;
export type Ignorable = (typeof ignorable)[number];

export const Ignore = Type.Array(Type.Enum([...ignorable]), { minItems: 1, maxItems: ignorable.length });

/** A letter that a word continues with. Some scripts write words without spaces between, or join them to others. */
export const wordLetter =
  '(?![\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Hang}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmr}\\p{sc=Mymr}])\\p{L}';

/** Keeps what belongs to a number or a name, as in `3.14`, `-$5`, `50 %` and `C#`. A question is no statement. */
function withoutPunctuation(text: string): string {
  return text.replaceAll(/[\p{P}`´]/gu, (sign, at: number) => {
    const before = text.slice(Math.max(0, at - 3), at);
    const after = text.slice(at + sign.length, at + sign.length + 4);
    const inside = /\p{Nd}$/u.test(before) && /^\p{Nd}/u.test(after);
    const leads =
      /[.\p{Pd}]/u.test(sign) && /^\p{Sc}?\.?\p{Nd}/u.test(after) && !/[\p{L}\p{N}]$/u.test(before);
    const isShare = /[%‰‱٪％﹪]/.test(sign) && /\p{Nd}\s?$/u.test(before);
    const isName = sign === '#' && /\p{L}$/u.test(before) && !/^[\p{L}\p{N}]/u.test(after);
    return inside || leads || isShare || isName || /[?？]/.test(sign) ? sign : '';
  });
}

/** As `comparable` without ignoring anything, for what is read in another way. */
export function plainForm(text: string): string {
  return trimmed(normalizeText(text.replaceAll(lineEnd, '\n'), 'NFC'));
}

const lineEnd = /\r\n?|[\u0085\u2028\u2029]/g;
/** Characters without width: word breaks, joins, marks of directions and of the order of bytes. */
const zeroWidth = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g;
const blank = new RegExp(`\\s|${zeroWidth.source}`);

/** Without the marks around it. An expression for all of them would try each of many spaces inside. */
export function trimmed(text: string, mark: RegExp = blank): string {
  let start = 0;
  let end = text.length;
  while (start < end && mark.test(text.charAt(start))) start += 1;
  while (end > start && mark.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** Letters in one case, as Unicode folds them: `ß` is `ss`, and all forms of sigma are one. Full-width letters are plain. */
function foldCase(text: string): string {
  const plain = text.replaceAll(/[\uff10-\uff5a]/g, (sign) =>
    String.fromCharCode(sign.charCodeAt(0) - 0xfee0),
  );
  // Some letters in upper case have no single one in lower case, and the other way round. Only Turkish has `ı`.
  return plain
    .split('ı')
    .map((part) => part.toLowerCase().toUpperCase().toLowerCase())
    .join('ı')
    .replaceAll('ς', 'σ');
}

/** Of scripts in which a letter with a mark is not another letter. `й` is one, and so are marks of Hindi and Japanese. */
const accents =
  /([\p{Script=Latin}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}])\p{M}+|(\p{Script=Cyrillic})[\u0300\u0301\u0308]+/gu;

/** @param ignore what makes no difference */
export function comparable(text: string, ignore: readonly Ignorable[] = []): string {
  let form = plainForm(text);
  if (ignore.includes('accents'))
    form = normalizeText(normalizeText(form, 'NFD').replaceAll(accents, '$1$2'), 'NFC');
  if (ignore.includes('case')) form = normalizeText(foldCase(form), 'NFC');
  if (ignore.includes('punctuation')) form = withoutPunctuation(form);
  if (ignore.includes('whitespace')) form = form.replaceAll(zeroWidth, '').replaceAll(/\s+/g, ' ');
  return ignore.length === 0 ? form : trimmed(form);
}

/** As `comparable`, for what is compared with a number: `5` and `5.0` are equal, but the code `05` is another text. */
export function comparableNumber(text: string, ignore: readonly Ignorable[] = []): string {
  const plain = text.trim().replace(/^[−‐‑–﹣－]/, '-');
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

/** What a reader of a result cannot see: spaces other than the plain one, and controls. Emoji are joined by U+200D. */
const hidden = /[^\S \n]|(?!\u200d)[\p{Cf}\p{Cc}](?<!\n)/u;
const maxNamed = 5;

/** The hidden characters of a text, such as ` with U+00A0`; empty if it has none. */
export function hiddenIn(text: string): string {
  const named = new Set<string>();
  for (const character of text) {
    if (!hidden.test(character)) continue;
    named.add(codePointOf(character));
    if (named.size === maxNamed) break;
  }
  return named.size === 0 ? '' : ` with ${[...named].join(', ')}`;
}

function nameOf(character: string): string {
  return character === '' ? 'the end' : codePointOf(character);
}

export function codePointOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/**
 * Where two texts differ in characters that look alike, such as ` with U+00A0 where U+0020 is expected`; empty where
 * the difference can be seen.
 */
export function lookAlike(expected: string, found: string): string {
  const [wanted, given] = [characterAt(expected, found), characterAt(found, expected)];
  if (wanted === given) return '';
  const isHidden = hidden.test(wanted) || hidden.test(given);
  if (!isHidden && (wanted === '' || given === '' || !areAlike(wanted, given))) return '';
  return ` with ${nameOf(given)} where ${nameOf(wanted)} is expected`;
}

/** The first character of `text` that differs from the other one; empty at its end. */
function characterAt(text: string, other: string): string {
  let at = 0;
  while (at < text.length && text.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  // Two characters may differ in the second half of a pair.
  if (/[\udc00-\udfff]/.test(text.charAt(at)) && at > 0) at -= 1;
  const point = text.codePointAt(at);
  return point === undefined ? '' : String.fromCodePoint(point);
}

const families = [
  /^['‘’‚‛`´′ʼ]$/,
  /^["“”„‟″«»]$/,
  /^[-‐‑‒–—−]$/,
  // Letters of these scripts look like those of Latin.
  /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]$/u,
];

function areAlike(one: string, other: string): boolean {
  if (normalizeText(one, 'NFKC') === normalizeText(other, 'NFKC')) return true;
  const family = families.find((each) => each.test(one) && each.test(other));
  if (family !== families.at(-1)) return family !== undefined;
  return /\p{Script=Latin}/u.test(one) !== /\p{Script=Latin}/u.test(other);
}
