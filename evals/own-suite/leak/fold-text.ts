/**
 * Reduces letters and digits to plain ASCII: widths, styles, look-alikes, accents, hidden characters.
 */
import { normalizeText } from '#runtime/normalize-text.ts';

const lookAlikes = new Map(
  Object.entries({
    а: 'a',
    в: 'b',
    с: 'c',
    ԁ: 'd',
    е: 'e',
    ғ: 'f',
    ԍ: 'g',
    һ: 'h',
    н: 'h',
    і: 'i',
    ї: 'i',
    ј: 'j',
    к: 'k',
    қ: 'k',
    ӏ: 'l',
    м: 'm',
    п: 'n',
    о: 'o',
    р: 'p',
    ԛ: 'q',
    г: 'r',
    ѕ: 's',
    т: 't',
    ц: 'u',
    ѵ: 'v',
    ш: 'w',
    х: 'x',
    у: 'y',
    α: 'a',
    β: 'b',
    ϲ: 'c',
    δ: 'd',
    ε: 'e',
    η: 'n',
    ι: 'i',
    κ: 'k',
    μ: 'm',
    ν: 'v',
    ο: 'o',
    ρ: 'p',
    σ: 'o',
    τ: 't',
    υ: 'u',
    χ: 'x',
    γ: 'y',
    ω: 'w',
    ζ: 'z',
    ᴀ: 'a',
    ʙ: 'b',
    ᴄ: 'c',
    ᴅ: 'd',
    ᴇ: 'e',
    ꜰ: 'f',
    ɢ: 'g',
    ʜ: 'h',
    ɪ: 'i',
    ᴊ: 'j',
    ᴋ: 'k',
    ʟ: 'l',
    ᴍ: 'm',
    ɴ: 'n',
    ᴏ: 'o',
    ᴘ: 'p',
    ʀ: 'r',
    ꜱ: 's',
    ᴛ: 't',
    ᴜ: 'u',
    ᴠ: 'v',
    ᴡ: 'w',
    ʏ: 'y',
    ᴢ: 'z',
    ɐ: 'a',
    ɔ: 'c',
    ǝ: 'e',
    ɟ: 'f',
    ƃ: 'g',
    ɓ: 'g',
    ɥ: 'h',
    ᴉ: 'i',
    ı: 'i',
    ɾ: 'j',
    ʞ: 'k',
    ɯ: 'm',
    ɹ: 'r',
    ʇ: 't',
    ʌ: 'v',
    ʍ: 'w',
    ʎ: 'y',
    ł: 'l',
    ø: 'o',
    đ: 'd',
    ħ: 'h',
    ß: 's',
  }),
);

/** Alphabets whose letters correspond to ours in order: enclosed, regional, tag and Braille characters. */
const alphabets: readonly (readonly [first: number, ascii: string])[] = [
  [0x1f150, 'abcdefghijklmnopqrstuvwxyz'],
  [0x1f170, 'abcdefghijklmnopqrstuvwxyz'],
  [0x1f1e6, 'abcdefghijklmnopqrstuvwxyz'],
  [0x1f130, 'abcdefghijklmnopqrstuvwxyz'],
  [0xe0061, 'abcdefghijklmnopqrstuvwxyz'],
  [0xe0030, '0123456789'],
  [0x2776, '123456789'],
  [0x278a, '123456789'],
];

const braille = '⠁⠃⠉⠙⠑⠋⠛⠓⠊⠚⠅⠇⠍⠝⠕⠏⠟⠗⠎⠞⠥⠧⠺⠭⠽⠵';

const replaced = new Map<string, string>([
  ...lookAlikes,
  ...alphabets.flatMap(([first, ascii]) =>
    Array.from(ascii, (character, place): [string, string] => [
      String.fromCodePoint(first + place),
      character,
    ]),
  ),
  ...Array.from(braille, (cell, place): [string, string] => [cell, String.fromCharCode(97 + place)]),
]);

/** Converts a text to lower case, with every recognisable letter and digit in ASCII. */
export function foldText(text: string): string {
  const latin = text
    // Arabic ligatures contain no Latin letters, but grow up to eighteenfold when normalised.
    .replaceAll(/[\ufb50-\ufdff]+/g, ' ')
    .replaceAll(
      /[\u{2776}-\u{2793}]|[\u{1f130}-\u{1f1ff}]|[\u{e0030}-\u{e007a}]/gu,
      (character) => replaced.get(character) ?? character,
    );
  const plain = normalizeText(latin, 'NFKC').toLowerCase();
  if (/^[\n -~]*$/.test(plain)) return plain;
  const letters = plain.replaceAll(
    /[\u00c0-\u2fff\ua730-\ua7ff]/g,
    (character) => replaced.get(character) ?? character,
  );
  return normalizeText(letters, 'NFD')
    .replaceAll(/\p{M}+|\p{Cf}+/gu, '')
    .replaceAll(/(?![0-9])\p{Nd}/gu, digitOf);
}

const digitsSeen = new Map<string, string>();

/** The ASCII form of a decimal digit in any script: ranges of digits start at zero and have ten. */
function digitOf(character: string): string {
  const known = digitsSeen.get(character);
  if (known !== undefined) return known;
  const code = character.codePointAt(0) ?? 0;
  let zero = code;
  while (zero > code - 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  const digit = code < 0x80 ? character : String((code - zero) % 10);
  digitsSeen.set(character, digit);
  return digit;
}

export function squeeze(text: string): string {
  return text.replaceAll(/[^a-z0-9]+/g, '');
}

export function reverse(text: string): string {
  return Array.from(text).toReversed().join('');
}

/** Every second character, in case others are inserted between them. */
export function everyOther(text: string, first: number): string {
  let kept = '';
  for (let place = first; place < text.length; place += 2) kept += text.charAt(place);
  return kept;
}

/** Unifies letters with the digits and signs that represent them. */
export function leet(text: string): string {
  const letters: Readonly<Record<string, string>> = {
    '0': 'o',
    '1': 'i',
    l: 'i',
    '!': 'i',
    '|': 'i',
    '3': 'e',
    '4': 'a',
    '@': 'a',
    '5': 's',
    $: 's',
    '7': 't',
    '+': 't',
    '8': 'b',
    '9': 'g',
    '6': 'g',
    '2': 'z',
  };
  return squeeze(text.replaceAll(/[0-9l!|@$+]/g, (character) => letters[character] ?? character));
}

/** Removes numbers that only enumerate: `1.` before an item, "letter 3", "the second digit". */
export function withoutOrdinals(folded: string): string {
  return folded
    .replaceAll(/^[ *_#>-]{0,6}\(?\d{1,2}[.):=][ ]?/gm, ' ')
    .replaceAll(/(?<=[ ,;(])\(?\d{1,2}[):][ ]?/g, ' ')
    .replaceAll(
      /(?:letter|digit|character|char|position|number|no\.|step|line|part|piece|#) ?(?:no\.? |number )?\d{1,2}\b/g,
      ' ',
    )
    .replaceAll(/\b\d{1,2}(?:st|nd|rd|th)\b/g, ' ');
}
