/** Finds the numbers of a text, each with its sign and its scale: `−€1.5 million` is -1500000. */
import { type Decimal, maxDecimalCharacters, multiply, parseDecimal } from './decimal.ts';

interface NumberFormat {
  /** What separates whole numbers from fractions. The other mark separates groups. */
  readonly decimal?: 'point' | 'comma';
  /** Whether `15 %` is 15, as in a question for a percentage, and not 0.15. */
  readonly percent?: boolean;
}

interface FoundNumber {
  /** With what belongs to it. */
  readonly text: string;
  /** Null if it is not one clear number, as `25.88.1` and `5²`, or `1,5` where a point is expected. */
  readonly value: Decimal | null;
}

/** A place in a text where digits stand that are no part of a word. */
interface Place {
  readonly start: number;
  readonly end: number;
}

interface Numbers {
  readonly count: number;
  /** @param at negative counts from the end */
  read(at: number): FoundNumber | undefined;
}

/** Digits inside a word, such as `v2` or `A4`, are no number. */
export function findNumbers(given: string, format: NumberFormat = {}): Numbers {
  const text = withPlainDigits(given, format);
  const places: Place[] = [];
  for (const match of text.matchAll(run)) {
    const place = withoutEnds(text, match.index, match.index + match[0].length);
    if (!isInWord(text, place.start)) places.push(place);
  }
  return {
    count: places.length,
    read(at) {
      const place = places.at(at);
      return place === undefined ? undefined : readPlace(text, place, format);
    },
  };
}

/** Digits with the marks that may belong to them. Whether they are a number is decided afterwards. */
const run = /[.,]?\d[\d.,'’_]*(?:(?<=\d)[eE][+-]?\d{1,3}(?!\d))?/g;

/** All digits of Unicode as those of ASCII, the marks of Arabic and full-width numbers as others write them. */
function withPlainDigits(text: string, { decimal }: NumberFormat): string {
  // Spaces between groups of three digits.
  const joined = text.replaceAll(/(?<=\p{Nd})[ \u00a0\u2009\u202f](?=\p{Nd}{3}(?!\p{Nd}))/gu, '_');
  if (/^\p{ASCII}*$/u.test(joined)) return joined;
  const [point, group] = decimal === 'comma' ? [',', '.'] : ['.', ','];
  return joined
    .replaceAll(/[\uff04-\uff0f]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0))
    .replaceAll(/(?![0-9])\p{Nd}/gu, digitOf)
    .replaceAll('٫', point)
    .replaceAll('٬', group);
}

const knownDigits = new Map<string, string>();
/** Of the mathematical digits, five series follow each other. All other digits of Unicode come in separate tens. */
const [firstMathematical, lastMathematical] = [0x1d7ce, 0x1d7ff];

function digitOf(digit: string): string {
  const known = knownDigits.get(digit);
  if (known !== undefined) return known;
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (zero > code - 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  const isMathematical = code >= firstMathematical && code <= lastMathematical;
  const value = String(isMathematical ? (code - firstMathematical) % 10 : code - zero);
  knownDigits.set(digit, value);
  return value;
}

/** Without the marks of a sentence at its end. A point before digits is part of the number, a comma only if it is the decimal mark. */
function withoutEnds(text: string, from: number, to: number): Place {
  let end = to;
  while (/[.,'’_]/.test(text.charAt(end - 1))) end -= 1;
  const isDot = text.charAt(from) === '.' && !/[.\p{L}\p{N}]/u.test(text.charAt(from - 1));
  const start = /[.,]/.test(text.charAt(from)) && !isDot ? from + 1 : from;
  return { start, end };
}

const currencyCode =
  '(?:EUR|USD|GBP|CHF|JPY|CNY|INR|BRL|CAD|AUD|MXN|SEK|NOK|DKK|PLN|CZK|HUF|TRY|ZAR|KRW|Rs\\.?|Fr\\.?)';
/** A currency in front of a number, such as `€`, `US$` or `EUR `. */
const currency = `(?:[A-Z]{0,3}\\p{Sc}|${currencyCode}) ?`;
/** Characters around a number that are read. */
const contextMax = 32;

function isInWord(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - contextMax), start);
  return /[\p{L}_#]$/u.test(before) && !endsWithCurrency.test(before);
}

const endsWithCurrency = new RegExp(`(?:^|[^\\p{L}\\p{N}_])${currencyCode}$`, 'u');
/** A sign after a digit, a letter or a bracket is a dash: `3-5`, `co-2`. */
const signBefore = new RegExp(
  `(?:^|[^\\p{L}\\p{N})_-]|(?:^|[^\\p{L}])${currencyCode})([+\\-−–±∓~]) ?(${currency})?$`,
  'u',
);
const wordBefore = new RegExp(
  `(?:^|[^\\p{L}\\p{N}_])(?:minus|negative|moins|menos|meno)\\s{1,3}(?:${currency})?$`,
  'iu',
);
const equalsBefore = /=\s{0,3}[-−–]\s{1,3}$/;

/** -1, 1, or null if the sign is not clear, as in `±5`. A sign before a space begins an item of a list. */
function signOf(before: string): -1 | 1 | null {
  const match = signBefore.exec(before);
  if (match !== null && (match[2] !== undefined || !before.endsWith(' '))) {
    if (/[±∓]/.test(match[1] ?? '')) return null;
    return /[-−–]/.test(match[1] ?? '') ? -1 : 1;
  }
  if (/[√^]$/.test(before)) return null;
  if (equalsBefore.test(before)) return -1;
  const word = wordBefore.exec(before);
  // `10 minus 5` is a subtraction.
  return word !== null && !/[\p{N})]\s*$/u.test(before.slice(0, word.index + 1)) ? -1 : 1;
}

const scales: readonly (readonly [words: RegExp, factor: bigint])[] = (
  [
    ['dozen', 12n],
    ['hundred', 100n],
    ['thousand|tausend|tsd\\.?|mille|mil|mila', 10n ** 3n],
    ['lakhs?|lacs?', 10n ** 5n],
    ['millions?|millionen|mio\\.?|mln\\.?|mn\\.?|millones|millón|milhões|milhão|milioni|milione', 10n ** 6n],
    ['crores?|cr\\.?', 10n ** 7n],
    ['billions?|bn\\.?|milliarden?|mrd\\.?|milliards?|miliardi|miliardo', 10n ** 9n],
    ['trillions?|tn\\.?|billionen', 10n ** 12n],
  ] as const
).map(([words, factor]) => [new RegExp(`^[\\s_-]{0,3}(?:${words})(?![\\p{L}\\p{N}])`, 'iu'), factor]);

/** Letters for a scale. `m` and `b` are units, unless they belong to an amount of money. */
const letterScales: Readonly<Record<string, bigint>> = {
  k: 10n ** 3n,
  K: 10n ** 3n,
  M: 10n ** 6n,
  B: 10n ** 9n,
  T: 10n ** 12n,
  G: 10n ** 9n,
};
const moneyScales: Readonly<Record<string, bigint>> = { ...letterScales, m: 10n ** 6n, b: 10n ** 9n };
const percentAfter =
  /^[\s_]{0,3}(?:[%٪]|(?:percent|per ?cent|pct|prozent|pour ?cent|por ?ciento|por ?cento|percento|procent)(?!\p{L}))/iu;
const perMilleAfter = /^[\s_]{0,3}(?:‰|(?:per ?mille|per ?mill|promille)(?!\p{L}))/iu;

interface Scale {
  /** How many characters say so. */
  readonly length: number;
  /** `numerator / 10 ** scale` */
  readonly factor: Decimal;
}

/** Null if what follows makes the digits part of something else, as in `5²`, `1½` and `5-`. */
function scaleOf(after: string, isMoney: boolean, { percent }: NumberFormat): Scale | null {
  if (/^[\p{No}^√]/u.test(after) || /^[-−–](?:\s|$)/.test(after)) return null;
  for (const [words, factor] of scales) {
    const match = words.exec(after);
    if (match !== null) return { length: match[0].length, factor: { digits: factor, scale: 0 } };
  }
  const [letter = ''] = /^[kKMBTGmb](?![\p{L}\p{N}])/u.exec(after) ?? [];
  const [, spaced = ''] = /^ ?([kKMBTGmb])(?= ?(?:\p{Sc}|EUR|USD|GBP|CHF))/u.exec(after) ?? [];
  const byLetter =
    isMoney || spaced !== '' ? moneyScales[spaced === '' ? letter : spaced] : letterScales[letter];
  if (byLetter !== undefined) {
    const length = letter === '' ? after.indexOf(spaced) + 1 : 1;
    return { length, factor: { digits: byLetter, scale: 0 } };
  }
  const perCent = percentAfter.exec(after);
  if (perCent !== null)
    return { length: perCent[0].length, factor: { digits: 1n, scale: percent === true ? 0 : 2 } };
  const perMille = perMilleAfter.exec(after);
  if (perMille !== null)
    return { length: perMille[0].length, factor: { digits: 1n, scale: percent === true ? 1 : 3 } };
  return { length: 0, factor: { digits: 1n, scale: 0 } };
}

function readPlace(text: string, { start, end }: Place, format: NumberFormat): FoundNumber {
  const before = text.slice(Math.max(0, start - contextMax), start);
  const after = text.slice(end, end + contextMax);
  const digits = text.slice(start, end);
  const sign = signOf(before);
  const scale = scaleOf(after, endsWithMoney.test(before), format);
  const shown = `${sign === null ? '±' : sign < 0 ? '-' : ''}${digits}${after.slice(0, scale?.length ?? 1)}`;
  const value = sign === null || scale === null ? null : readDigits(digits, format);
  if (sign === null || scale === null || value === null) return { text: shown, value: null };
  const scaled = multiply(value, scale.factor);
  return { text: shown, value: sign < 0 ? { ...scaled, digits: -scaled.digits } : scaled };
}

const endsWithMoney = new RegExp(`${currency}$`, 'u');

const forms = {
  point: {
    grouped: /^\d{1,3}(?:([,'’_])\d{3})(?:\1\d{3})*(?:\.\d+)?$/,
    // Lakhs and crores.
    indian: /^\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?$/,
    plain: /^(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d{1,3})?$/,
    groups: /[,'’_]/g,
  },
  comma: {
    grouped: /^\d{1,3}(?:([.'’_])\d{3})(?:\1\d{3})*(?:,\d+)?$/,
    indian: null,
    plain: /^(?:\d+(?:,\d+)?|,\d+)(?:[eE][+-]?\d{1,3})?$/,
    groups: /[.'’_]/g,
  },
} as const;

function readDigits(digits: string, { decimal = 'point' }: NumberFormat): Decimal | null {
  if (digits.length > maxDecimalCharacters) return null;
  const { grouped, indian, plain, groups } = forms[decimal];
  if (!grouped.test(digits) && !plain.test(digits) && indian?.test(digits) !== true) return null;
  return parseDecimal(digits.replaceAll(groups, '').replace(',', '.'));
}
