/** Finds the numbers of a text, each with its sign and its scale: `−€1.5 million` is -1500000. */
import { type Decimal, maxDecimalCharacters, multiply, parseDecimal } from './decimal.ts';
import { wordLetter } from './text-forms.ts';

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
  const joined = text
    // LaTeX writes `25{,}880` and `25\,880`.
    .replaceAll(/(?<=\p{Nd})\{,\}(?=\p{Nd})/gu, ',')
    .replaceAll(/(?<=\p{Nd})\\,(?=\p{Nd}{3}(?!\p{Nd}))/gu, '_')
    // Spaces between groups of three digits.
    .replaceAll(/(?<=\p{Nd})[ \u00a0\u2009\u202f](?=\p{Nd}{3}(?!\p{Nd}))/gu, '_')
    .replaceAll(
      powerOfTen,
      (_, plain: string | undefined, raised = '') => `e${plain ?? withPlainPower(raised)}`,
    );
  if (/^\p{ASCII}*$/u.test(joined)) return joined;
  const [point, group] = decimal === 'comma' ? [',', '.'] : ['.', ','];
  return joined
    .replaceAll(/[\uff04-\uff0f]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0))
    .replaceAll(/(?![0-9])\p{Nd}/gu, digitOf)
    .replaceAll('٫', point)
    .replaceAll('٬', group);
}

/** `1.5 × 10^6`, in LaTeX too, is 1.5e6. */
const powerOfTen =
  /(?<=\d)\s?(?:[×·⋅*x]|\\times|\\cdot)\s?10(?:\^[{(]{0,2}([-−+]?\d{1,3})[)}]{0,2}|([⁺⁻]?[⁰¹²³⁴-⁹]{1,3}))/g;

function withPlainPower(raised: string): string {
  return raised.replace('⁻', '-').replaceAll(/[⁰¹²³⁴-⁹]/g, (digit) => String('⁰¹²³⁴⁵⁶⁷⁸⁹'.indexOf(digit)));
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

/** Without the marks of a sentence at its end. A point before digits is part of the number, a comma where nothing is before it. */
function withoutEnds(text: string, from: number, to: number): Place {
  let end = to;
  while (/[.,'’_]/.test(text.charAt(end - 1))) end -= 1;
  const [mark, before] = [text.charAt(from), text.charAt(from - 1)];
  const isPart = mark === '.' ? !/[.\p{L}\p{N}]/u.test(before) : /^$|[\s(=+\-−–\p{Sc}]/u.test(before);
  const start = /[.,]/.test(mark) && !isPart ? from + 1 : from;
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
  return endsWithWord.test(before) && !endsWithCurrency.test(before);
}

const endsWithWord = new RegExp(`(?:${wordLetter}|#|[\\p{L}\\p{N}]_)$`, 'u');

const endsWithCurrency = new RegExp(`(?:^|[^\\p{L}\\p{N}_])${currencyCode}$`, 'u');
const minus = '\\-−–‐‑﹣➖⁻';
/** A sign after a digit, a letter or a bracket is a dash: `3-5`, `co-2`. */
const signBefore = new RegExp(
  `(?:^|[^\\p{L}\\p{N})_-]|(?:^|[^\\p{L}])${currencyCode})([+${minus}±∓~]) ?\\(?(${currency})?$`,
  'u',
);
const wordBefore = new RegExp(
  `(?:^|[^\\p{L}\\p{N}_])(?:minus|negative|moins|menos|meno|mínus|eksi|минус|мінус|سالب|माइनस)\\s{1,3}(?:${currency})?$`,
  'iu',
);
const equalsBefore = /=\s{0,3}[-−–]\s{1,3}$/;

/** What makes of a number something else: roots, powers, bounds, fractions, dates, times, and ranges. */
const otherBefore = /(?:[√^]|sqrt)[{(]?$|<sup>$|[<≤≥≠]\s?$|>=\s?$|\S >\s?$|\d ?[/⁄∕] ?$|\d[:\-−–]$|\d\}\{$/;
/** Words for `<`, `>` and `≠`. An allowance, such as `no more than 5` or `at most 5`, is read as its number. */
const boundBefore = new RegExp(
  `(?:^|[^\\p{L}\\p{N}_])(?:(?:(?<!\\bor )not|never|cannot|\\w{1,9}n['’]t)(?: (?:answer|be|equal|exactly|really|the|to)){0,3}|(?<!\\bno(?:ne|thing) )other than|(?<!\\bnot? )(?:(?:fewer|greater|less|more) than|above|below|over|under)|almost|anything but|beyond|exceed(?:s|ing)?|instead of|nearly|rather than|unlike)\\s{1,3}(?:${currency})?$`,
  'iu',
);
const otherAfter =
  /^ ?\p{No}|^[\^√]|^[-−–+](?:\s|$)|^ ?[/⁄∕] ?\d|^[:\-−–]\d|^\}\{\d|^\p{L}{1,9}\d|^[\s-]?(?:ten|hundred|thousand|million|billion)ths?(?!\p{L})|^ (?:and a half|or (?:above|below|fewer|higher|less|lower|more|so)|(?:is|was)(?:n['’]t| (?:false|incorrect|never|not|wrong)))\b/iu;
/** An amount in brackets that stands alone is negative to an accountant. */
const bracketBefore = new RegExp(`(?:^|[:=|\\n]\\s{0,3})\\(${currency}$`, 'u');

/** -1, 1, or null if the sign is not clear, as in `±5`. A hyphen before a space begins an item of a list. */
function signOf(before: string): -1 | 1 | null {
  const match = signBefore.exec(before);
  // `10 minus 5` is a subtraction.
  const isAlone = ({ index }: RegExpExecArray): boolean => !/[\p{N})]\s*$/u.test(before.slice(0, index + 1));
  if (match !== null && (match[2] !== undefined || !before.endsWith(' '))) {
    if (/[±∓]/.test(match[1] ?? '')) return null;
    return /[+~]/.test(match[1] ?? '') ? 1 : -1;
  }
  if (equalsBefore.test(before) || (match?.[1] === '−' && isAlone(match))) return -1;
  const word = wordBefore.exec(before);
  return word !== null && isAlone(word) ? -1 : 1;
}

const scaleWords: readonly (readonly [words: string, factor: bigint])[] = [
  ['dozen', 12n],
  ['hundred', 100n],
  [
    'thousand|tausend|tsd\\.?|T(?:€|EUR)|mille|mil|mila|duizend|tusen|tusind|tys\\.?|tysiąc\\p{L}*|tisíc\\p{L}*|тыс\\.?|тысяч\\p{L}*|हज़ार|हज़ार|हजार|ألف|آلاف|هزار|nghìn|ngàn|ribu',
    10n ** 3n,
  ],
  ['lakhs?|lacs?|लाख', 10n ** 5n],
  [
    'mill?ion(?:s|en|er|ów|y|i|a)?|mio\\.?|mln\\.?|mn\\.?|millones|millón|milhões|milhão|milioni|milione|mi?ljoen(?:en)?|mi?ljon(?:er)?|milyon|млн\\.?|миллион\\p{L}*|мільйон\\p{L}*|مليون|ملايين|میلیون|triệu|juta|ล้าน',
    10n ** 6n,
  ],
  ['crores?|cr\\.?|करोड\u093c?|करो\u095c', 10n ** 7n],
  [
    'billions?|bn\\.?|mill?iarde?n?|mrd\\.?|mld\\.?|mlrd\\.?|milliards?|miliard[iyoaów]*|miljard(?:en|er)?|milyar|bilhões|bilhão|млрд\\.?|миллиард\\p{L}*|مليار|مليارات|میلیارد|tỷ|miliar',
    10n ** 9n,
  ],
  ['trillions?|tn\\.?|billionen|трлн\\.?', 10n ** 12n],
];
/** Written without spaces between words. */
const scaleSigns: typeof scaleWords = [
  ['[千천]', 10n ** 3n],
  ['[百백]', 100n],
  ['[万萬만]', 10n ** 4n],
  ['[億亿억]', 10n ** 8n],
  ['[兆조]', 10n ** 12n],
];
const scales = [
  ...scaleWords.map(([words, factor]) => [`(?:${words})(?![\\p{L}\\p{N}])`, factor] as const),
  ...scaleSigns,
].map(([form, factor]) => [new RegExp(`^(?:[^\\S\\n]|[_-]){0,3}${form}`, 'iu'), factor] as const);
/** As in `5 hundred thousand`. */
const scalesMax = 3;

/** Letters for a scale. `m` and `b` are units, unless they belong to an amount of money. */
const letterScales: Readonly<Record<string, bigint>> = {
  k: 10n ** 3n,
  K: 10n ** 3n,
  M: 10n ** 6n,
  MM: 10n ** 6n,
  m: 10n ** 6n,
  B: 10n ** 9n,
  b: 10n ** 9n,
  G: 10n ** 9n,
  T: 10n ** 12n,
};
const letterBeforeMoney = /^ ?(?:MM|[kKMBTGmb])(?= ?(?:\p{Sc}|EUR|USD|GBP|CHF))/u;
const letterAfterMoney = /^ ?(?:MM|[kKMBTGmb])(?![\p{L}\p{N}])/u;
const letterAlone = /^(?: ?(?:MM|k)|[KMBTG])(?![\p{L}\p{N}])/u;
const percentAfter =
  /^[\s_]{0,3}(?:[%٪]|(?:percent|per ?cent|pct|prozent|pour ?cent|por ?ciento|por ?cento|percento|procent|процент\p{L}*|パーセント|प्रतिशत)(?!\p{L}))/iu;
const perMilleAfter = /^[\s_]{0,3}(?:‰|(?:per ?mille|per ?mill|promille)(?!\p{L}))/iu;

interface Scale {
  /** How many characters say so. */
  readonly length: number;
  /** `numerator / 10 ** scale` */
  readonly factor: Decimal;
}

/** @param before with what may say that it is money, or a percentage as in `%15` */
function scaleOf(after: string, before: string, { percent }: NumberFormat): Scale {
  const scale = { length: 0, factor: { digits: 1n, scale: 0 } };
  for (let words = 0; words < scalesMax; words += 1) {
    const rest = after.slice(scale.length);
    const [found, factor = 1n] = scales.find(([each]) => each.test(rest)) ?? [];
    if (found === undefined) break;
    scale.length += found.exec(rest)?.[0].length ?? 0;
    scale.factor.digits *= factor;
  }
  if (scale.length > 0) return scale;
  const ofMoney = endsWithMoney.test(before) ? letterAfterMoney : letterAlone;
  const [letter] = letterBeforeMoney.exec(after) ?? ofMoney.exec(after) ?? [];
  if (letter !== undefined)
    return { length: letter.length, factor: { digits: letterScales[letter.trim()] ?? 1n, scale: 0 } };
  const perMille = perMilleAfter.exec(after);
  if (perMille !== null)
    return { length: perMille[0].length, factor: { digits: 1n, scale: percent === true ? 1 : 3 } };
  const perCent = percentAfter.exec(after) ?? (/(?:^|[^\d ] ?)[%٪] ?$/.test(before) ? [''] : null);
  if (perCent === null) return scale;
  return { length: perCent[0]?.length ?? 0, factor: { digits: 1n, scale: percent === true ? 0 : 2 } };
}

function readPlace(text: string, { start, end }: Place, format: NumberFormat): FoundNumber {
  // Markup between a number and what belongs to it, as in `-**5**`, `\$5` and `$15\%$`.
  const before = text.slice(Math.max(0, start - contextMax), start).replaceAll(/[*`\\]|_{1,3}$/g, '');
  const after = text.slice(end, end + contextMax);
  const markup = /^(?:[*`_\\]|\$(?![\d$]))*/.exec(after)?.[0].length ?? 0;
  const rest = after.slice(markup);
  const digits = text.slice(start, end);
  const isOther =
    otherBefore.test(before) ||
    boundBefore.test(before) ||
    otherAfter.test(rest) ||
    (bracketBefore.test(before) && rest.startsWith(')'));
  const sign = isOther ? null : signOf(before);
  const scale = scaleOf(rest, before, format);
  const shown = `${sign === null ? '±' : sign < 0 ? '-' : ''}${digits}${after.slice(0, scale.length === 0 ? 0 : markup + scale.length)}`;
  const value = sign === null ? null : readDigits(digits, format);
  if (sign === null || value === null) return { text: shown, value: null };
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
