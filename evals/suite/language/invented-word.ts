/**
 * Words and names that no corpus contains, so that no target can have memorised a case. They have at least
 * two syllables and avoid rude letter sequences.
 */
import { maxGeneratorAttempts } from '../../limits.ts';
import type { Random } from '../../random.ts';

export const onsets =
  'b br d dr f fl g gl gr h j k kl kr l m n p pl pr qu r s sk sl sn st t tr v vr w y z'.split(' ');
export const vowels = 'a e i o u a e i o u ai ea ou oo'.split(' ');
export const codas = ['', '', '', ...'l m n r s x nd lt rk rn sh th'.split(' ')];
const avoided =
  /fuk|fuc|kok|coc|dik|dic|nig|neg|kum|cum|tit|pis|rap|sex|naz|ass|ars|fag|jew|gay|hor|slut|shit|sh[ai]t|kil|jap|suk|jesu|alla|budd/;

/**
 * Words of the answer reader and of the leak search that invented words could spell: an answer that begins with
 * "result" looks like one after a label.
 */
const readerWords: ReadonlySet<string> = new Set(
  (
    'baker bare base before begin behind beside boolean bravo broken data date delete depend done dora dozen ' +
    'dropend failure fife figure final finish five footer fower gimu give given gives grade grades harom have ' +
    'header here hides hope hostile hotel house jeden june kilo label later latex latin layer leaves level like ' +
    'lima line linear lines loose looser loses love lower made make makes mate metres mike minus minute mistake ' +
    'mistaken model modulo more name names nana negen never nine niner none nope nora note notes nove novem nulus ' +
    'numeral papa param peter please pleasure prefix presume pretend prose pure quatre quatro quite quote quotes ' +
    'reader reason refuse remark removes repair result return revise rises rival roger roku role roman rule rules ' +
    'safe same sete seven several side sides sifir size sizes some state states status statuses sugar sure take ' +
    'taken takes tare timate time times token total trimend triple voyage wager were wrong yedi yoke zebra zero ' +
    'zeros zeven zone zulu'
  ).split(' '),
);

/** A lower-case word. */
export function inventWord(random: Random, syllables: number = random.int(2, 3)): string {
  for (let attempt = 0; attempt < maxGeneratorAttempts; attempt += 1) {
    let word = '';
    for (let syllable = 0; syllable < syllables; syllable += 1) {
      word += random.pick(onsets) + random.pick(vowels);
      if (syllable === syllables - 1) word += random.pick(codas);
    }
    if (isProper(word) && word.length >= 4) return word;
  }
  throw new Error('No invented word was found.');
}

/** Whether `word` has no rude letter sequence and no meaning to the answer reader. */
export function isProper(word: string): boolean {
  return !avoided.test(word) && !readerWords.has(word);
}

/** Different words, none of them part of another. */
export function inventWords(random: Random, count: number, syllables?: number): string[] {
  const words: string[] = [];
  for (let attempt = 0; attempt < maxGeneratorAttempts && words.length < count; attempt += 1) {
    const word = inventWord(random, syllables);
    if (!words.some((other) => other.includes(word) || word.includes(other))) words.push(word);
  }
  if (words.length < count) throw new Error(`Only ${words.length} of ${count} invented words were found.`);
  return words;
}

/** Different names, each with a capital letter. */
export function inventNames(random: Random, count: number): string[] {
  return inventWords(random, count).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
}

export function inventName(random: Random): string {
  return inventNames(random, 1).join('');
}
