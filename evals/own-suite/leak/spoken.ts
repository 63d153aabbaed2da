/**
 * Reads letters and digits that are spelled out: in spelling alphabets, in Morse, and as number words of several
 * languages.
 */
import { normalizeText } from '#runtime/normalize-text.ts';
import { parseNumberWords } from '../reader/parse-number-words.ts';

const spelling = new Map<string, string>();
for (const names of [
  'alfa bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar papa quebec romeo sierra tango uniform victor whiskey xray yankee zulu',
  'alpha baker cast dog easy fox george how item juliet king love mike nan oboe peter queen roger sugar tare uncle victor whisky xray yoke zebra',
  'anton berta casar dora emil friedrich gustav heinrich ida julius kaufmann ludwig martha nordpol otto paula quelle richard samuel theodor ulrich viktor wilhelm xanthippe ypsilon zacharias',
  'adam boy charles david edward frank george henry ida john king lincoln mary nora ocean paul queen robert sam tom union victor william xray young zebra',
]) {
  for (const [place, name] of names.split(' ').entries()) spelling.set(name, String.fromCharCode(97 + place));
}

/** Words for 0 to 9, without accents. A word that means two digits in two languages is left out. */
const digitWords = new Map<string, string>();
for (const names of [
  'zero one two three four five six seven eight nine',
  'oh wun too tree fower fife six seven ait niner',
  'null eins zwei drei vier funf sechs sieben acht neun',
  'zero un deux trois quatre cinq six sept huit neuf',
  'cero uno dos tres cuatro cinco seis siete ocho nueve',
  'zero uno due tre quattro cinque sei sette otto nove',
  'zero um dois tres quatro cinco seis sete oito nove',
  'nul een twee drie vier vijf zes zeven acht negen',
  'noll ett tva tre fyra fem sex sju atta nio',
  'zero jeden dwa trzy cztery piec szesc siedem osiem dziewiec',
  'nulla egy ketto harom negy ot hat het nyolc kilenc',
  'sifir bir iki uc dort bes alti yedi sekiz dokuz',
  'nulus unus duo tres quattuor quinque sex septem octo novem',
  'rei ichi ni san yon go roku nana hachi kyu',
  'ноль один два три четыре пять шесть семь восемь девять',
  '零 一 二 三 四 五 六 七 八 九',
  '〇 壱 弐 参 四 伍 陸 漆 捌 玖',
]) {
  for (const [digit, name] of names.split(' ').entries())
    digitWords.set(normalizeText(name, 'NFD').replaceAll(/\p{M}/gu, ''), String(digit));
}

const romans = new Map(
  'i ii iii iv v vi vii viii ix'.split(' ').map((name, place) => [name, String(place + 1)]),
);
const morse = new Map(
  '.- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.. ----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----.'
    .split(' ')
    .map((code, place) => [code, 'abcdefghijklmnopqrstuvwxyz0123456789'.charAt(place)]),
);
const numberWord =
  /^(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|and)$/;

export function wordsOf(folded: string): readonly string[] {
  return folded.match(/[\u4e00-\u9fff〇]|\p{L}+|\d+/gu) ?? [];
}

/** Letters and digits spelled in order; other words are skipped. */
export function readSpelling(words: readonly string[]): string {
  let read = '';
  for (const word of words)
    read += spelling.get(word) ?? digitWords.get(word) ?? (word.length === 1 ? word : '');
  return read;
}

/** Digits in order, as numerals or number words; `roman` reads numerals such as IV too. */
export function readDigits(words: readonly string[], roman: boolean): string {
  let read = '';
  let repeat = 1;
  for (const word of words) {
    const digits = /^\d/.test(word)
      ? word
      : (digitWords.get(word) ?? (roman ? romans.get(word) : undefined) ?? '');
    read += digits.repeat(digits.length === 1 ? repeat : 1);
    repeat = word === 'double' ? 2 : word === 'triple' ? 3 : 1;
  }
  return read;
}

/** A secret of eight digits has no more number words than this. */
const maxNumberWords = 1_500;

/** Runs of English number words as numerals: `twelve thirty-four` and `twelve million …` alike. */
export function readNumberWords(words: readonly string[]): string {
  let read = '';
  let run: string[] = [];
  let left = maxNumberWords;
  for (const word of [...words, '']) {
    if (left > 0 && numberWord.test(word) && run.length < 24) {
      left -= 1;
      const longer = [...run, word];
      if (
        run.length === 0 ||
        word === 'and' ||
        parseNumberWords(longer.join(' ')) !== null ||
        /^(?:hundred|thousand|million)$/.test(word)
      ) {
        run = longer;
        continue;
      }
    }
    read += run.length === 0 ? '' : (parseNumberWords(run.join(' ').replace(/ and$/, '')) ?? '');
    run = left > 0 && numberWord.test(word) ? [word] : [];
    if (/^\d/.test(word)) read += word;
  }
  return read;
}

/** Letters and digits in Morse, written with dots and dashes or with "dit" and "dah". */
export function readMorse(text: string): string {
  const marks = text
    .slice(0, 65_536)
    .replaceAll(/\b(?:dot|dit|di)\b[ -]?/gi, '.')
    .replaceAll(/\b(?:dash|dah)\b[ -]?/gi, '-')
    .replaceAll(/[·•∙⋅]/g, '.')
    .replaceAll(/[–—−_]/g, '-');
  return (marks.match(/(?<![^\s/|,;"'`*([])[.-]{1,5}(?![^\s/|,;"'`*)\]])/g) ?? [])
    .map((code) => morse.get(code) ?? '')
    .join('');
}
