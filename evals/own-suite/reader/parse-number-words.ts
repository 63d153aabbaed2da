/** Reads an English number word up to 999,999,999: `forty-two`, `one thousand two hundred and five`. */

const small = new Map(
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'
    .split(' ')
    .map((word, value) => [word, value]),
);
const tens = new Map(
  'twenty thirty forty fifty sixty seventy eighty ninety'
    .split(' ')
    .map((word, place) => [word, (place + 2) * 10]),
);
const maxWords = 24;

/** The number in decimal digits, or null. Only well-formed number words count, so `five two` does not. */
export function parseNumberWords(text: string): string | null {
  if (!/^[a-z][a-z, -]{2,150}$/i.test(text)) return null;
  const words = text.toLowerCase().replaceAll(/[,-]/g, ' ').split(/ +/).filter(Boolean);
  if (words.length > maxWords) return null;
  const negative = words[0] === 'minus' || words[0] === 'negative';
  const value = parseMillions(negative ? words.slice(1) : words);
  if (value === null) return null;
  return negative && value !== 0 ? `-${value}` : String(value);
}

function parseMillions(words: readonly string[]): number | null {
  return parseScale(words, 'million', 1_000_000, (rest) =>
    parseScale(rest, 'thousand', 1_000, parseHundreds),
  );
}

type ParseWords = (words: readonly string[]) => number | null;

function parseScale(words: readonly string[], name: string, scale: number, below: ParseWords): number | null {
  const place = words.indexOf(name);
  if (place < 0) return below(words);
  const count = parseHundreds(words.slice(0, place));
  const rest = withoutAnd(words.slice(place + 1));
  const remainder = rest.length === 0 ? 0 : below(rest);
  return count === null || count === 0 || remainder === null ? null : count * scale + remainder;
}

function parseHundreds(words: readonly string[]): number | null {
  const place = words.indexOf('hundred');
  if (place < 0) return parseTens(words);
  const count = place === 1 ? small.get(words[0] ?? '') : undefined;
  const rest = withoutAnd(words.slice(place + 1));
  const remainder = rest.length === 0 ? 0 : parseTens(rest);
  return count === undefined || count === 0 || remainder === null ? null : count * 100 + remainder;
}

function parseTens(words: readonly string[]): number | null {
  const [first = '', second, third] = words;
  if (third !== undefined) return null;
  const ten = tens.get(first);
  if (ten === undefined) return second === undefined ? (small.get(first) ?? null) : null;
  if (second === undefined) return ten;
  const one = small.get(second) ?? 0;
  return one >= 1 && one <= 9 ? ten + one : null;
}

function withoutAnd(words: readonly string[]): readonly string[] {
  return words[0] === 'and' ? words.slice(1) : words;
}
