import { ordinaryWords } from './vocabulary.ts';

/** Reads what a text of lines has to fulfil. */
export type Wish =
  | { kind: 'lengths'; lengths: number[] }
  | { kind: 'total'; words: number }
  | { kind: 'rising' }
  | { kind: 'letter'; letter: string; times: number }
  | { kind: 'without'; letter: string }
  | { kind: 'longest'; letters: number }
  | { kind: 'distinct' }
  | { kind: 'initial'; letter: string }
  | { kind: 'capitals'; line: number }
  | { kind: 'mark'; line: number; mark: string }
  | { kind: 'closing'; letters: number }
  | { kind: 'word'; word: string; line: number; position: number }
  | { kind: 'numbers'; count: number; sum: number }
  | { kind: 'acrostic'; letters: string }
  | { kind: 'chain' }
  | { kind: 'alphabetical' };

const ordinals = [
  'first',
  'second',
  'third',
  'fourth',
  'fifth',
  'sixth',
  'seventh',
  'eighth',
  'ninth',
  'tenth',
];
const boilerplate =
  /told apart|same letter (?:as|whether)|same letter unless|treated alike|no distinction|between two spaces|set off by spaces|one space and the next|space on either side|words are counted|numbers are words|number is a word|three words|two words are too short|nonsense|make sense|makes? (?:any )?sense|sense is|few words|handful|has to be mentioned|matters only|capital letter counts/i;

const numbersOf = (text: string): number[] => (text.match(/\d+/g) ?? []).map(Number);

const readLengths = (text: string): number[] | undefined => {
  const pairs = [...text.matchAll(/(\d+) (?:words )?in line (\d+)/g)];
  if (pairs.length >= 3) return pairs.map(([, words]) => Number(words));
  const list = text.match(/\d+(?:, \d+)+,? and \d+/)?.[0];
  return list === undefined ? undefined : numbersOf(list);
};

const readQuoted = (text: string, quoted: string): Wish | undefined => {
  const isLetter = quoted.length === 1;
  const numbers = numbersOf(text);
  const spelled = ordinals.findIndex((word) => new RegExp(`\\b${word}\\b`, 'i').test(text)) + 1;
  if (!isLetter) {
    const line = Number(text.match(/\bline (?:no\. |number )?(\d+)/i)?.[1] ?? 0);
    if (line === 0) return { kind: 'acrostic', letters: quoted.toLowerCase() };
    const withoutLine = text.replace(/\bline (?:no\. |number )?\d+/i, '');
    const position = numbersOf(withoutLine)[0] ?? spelled;
    return { kind: 'word', word: quoted.toLowerCase(), line, position };
  }
  const letter = quoted.toLowerCase();
  const opening =
    /begin|start|first letter|initial|opens|opening/i.test(text) &&
    !/from (?:the )?(?:beginning|first line|start)/i.test(text);
  if (opening && !/begins? to end/.test(text)) return { kind: 'initial', letter };
  const [times] = numbers;
  return times === undefined ? { kind: 'without', letter } : { kind: 'letter', letter, times };
};

export const readWish = (sentence: string): Wish | undefined => {
  const text = sentence.trim();
  if (boilerplate.test(text)) return undefined;
  const numbers = numbersOf(text);
  const [first] = numbers;
  const line = Number(text.match(/\bline (?:no\. |number )?(\d+)/i)?.[1] ?? first ?? 0);
  const quoted = text.match(/["“]([A-Za-z]+)["”]/)?.[1];
  const letters = text.match(/letters ((?:[a-z], )+[a-z],? and [a-z])\b/)?.[1];
  if (letters !== undefined)
    return { kind: 'acrostic', letters: letters.replace(/,| and/g, '').replace(/ /g, '') };
  if (/question mark/i.test(text) && /\bline\b/i.test(text)) return { kind: 'mark', line, mark: '?' };
  if (/exclamation mark/i.test(text) && /\bline\b/i.test(text)) return { kind: 'mark', line, mark: '!' };
  if (/capital|upper case|uppercase/i.test(text)) return line > 0 ? { kind: 'capitals', line } : undefined;
  if (quoted !== undefined) return readQuoted(text, quoted);
  const lengths = readLengths(text);
  if (lengths !== undefined) return { kind: 'lengths', lengths };
  if (/\bnumbers?\b/.test(text) && numbers.length === 2 && /digit|\bsum\b|add|total|together/i.test(text)) {
    return { kind: 'numbers', count: Math.min(...numbers), sum: Math.max(...numbers) };
  }
  if (/letters?\b/.test(text) && first !== undefined) {
    const isClosing =
      /last|final|closing|\bends?\b|finish|very end|comes last|close every|stops? at|each line|every line|all lines|any line/i;
    const isLongest =
      /longer|more than|limit|longest|beyond|past|longest|any word longer|at most|exceed|maximum|forbidden/i;
    if (isClosing.test(text) && !/longest|permitted|get past|limit/.test(text))
      return { kind: 'closing', letters: first };
    if (isLongest.test(text)) return { kind: 'longest', letters: first };
    return { kind: 'closing', letters: first };
  }
  if (/alphabet|dictionary|\bindex\b/i.test(text)) return { kind: 'alphabetical' };
  if (
    /last word|final word|ended the (?:previous|line)|with which you ended|end of a line is also|ends? with is|closing word|took up|take up/i.test(
      text,
    ) &&
    /start|begin|open|next line|predecessor/i.test(text)
  ) {
    return { kind: 'chain' };
  }
  if (
    /more words|longer than the (?:one|line)|number of words rises|rises|exceeds the previous|outdoes|fewer words than|larger number|always a larger|increas|grow|shorter than the one (?:below|after)|wordier|gets longer/i.test(
      text,
    )
  ) {
    return { kind: 'rising' };
  }
  if (
    /twice|again|different from all|no two words|repeat any|repeat (?:a|no) word|once only|only once|single appearance|already in the text|all others|are the same|any word more than once|more than once|second time|unique|reappear|recur|repetition|used before|once at most/i.test(
      text,
    )
  ) {
    return { kind: 'distinct' };
  }
  if (/words?\b/.test(text) && numbers.length === 1 && first !== undefined)
    return { kind: 'total', words: first };
  return undefined;
};

const strangers = /\b[A-Z][a-z]{2,}\b/g;
const commonCapitals = new Set(
  (
    'Two Make Both Include Mention Please Somewhere Name Your There Let See The And Sure Nor Without Text Names Do Bring ' +
    'Also Neither Flowing Instead Replace Leave Out Now From Here What Not One More Never Put Use Write Any Drop Swap Have ' +
    'All Line Lines Each Every Somebody Rule Demand Point Condition Requirement Take Forget Give Keep Omit Cross Remove ' +
    'Apart Digits Everything Nothing Anything Return Reply Send Neither Both This That They Its For But Such Only Say'
  ).split(' '),
);

export const properNames = (text: string): string[] => [
  ...new Set((text.match(strangers) ?? []).filter((word) => !commonCapitals.has(word))),
];

const namingWords =
  /named|mention|\bname\b|names|by name|occur|turn up|part of the text|without|bring in|find room|appear|missing/i;

/** The names that the text must contain, from the first message. */
export const readNames = (message: string): string[] => {
  for (const sentence of message.split(/(?<=[.?!])\s+|\n/)) {
    if (!namingWords.test(sentence) || /"/.test(sentence)) continue;
    const names = properNames(sentence);
    if (names.length === 2) return names;
  }
  const parts = message.split(/(?<=[.?!])\s+|\n/).filter((part) => !/\blines\b|"/.test(part));
  const left = parts
    .flatMap((part) => properNames(part))
    .filter((name) => !ordinaryWords.has(name.toLowerCase()));
  return left.slice(0, 2);
};

export const readLineCount = (message: string): number =>
  Number(
    message.match(/(?:exactly )?(\d+) lines/)?.[1] ??
      message.match(/length (?:is )?(?:exactly )?(\d+)/)?.[1] ??
      5,
  );
