/** Finds the places where a reply says "here is my answer": labels, phrases, tags and boxes. */

export interface Marker {
  /** Where the marker begins, and where the marked text begins and ends; the end after a label is open. */
  readonly start: number;
  readonly from: number;
  readonly to: number | null;
  /** Where the text continues after a closed marker. */
  readonly next: number;
  readonly kind: 'label' | 'phrase' | 'tag' | 'box';
  /** The words of a label or phrase with their note in brackets, in lower case. */
  readonly words: string;
}

const ornament = String.raw`(?:[ $*_#>\x60"'“”‘’([{|•·–—+=~-]|(?![❌❎✖🚫⛔🤔🤷❓❔⁉])[\p{Extended_Pictographic}→⇒➤▶►✓✔★☆∴»【「]|\d{1,2}[.)] )`;
const connective = String.raw`(?:(?:so|therefore|thus|hence|and|then|finally|ok|okay|now|in conclusion|in short|overall|in summary|to conclude|as a result|accordingly|with that|step \d{1,2}|conclusion)[,:]? )?`;
const announcement = String.raw`(?:(?:here(?:'s| is| comes)|this is|that's|that is|this gives|which gives|giving|i give|below is|and here is) )?`;
const quality = String.raw`(?:(?:only )?(?:final|correct|right|resulting|short|actual|exact|complete|full|definitive|single|one-word|numeric|numerical|requested|required|overall|direct|formatted|verified|computed|ultimate|true|official|concise|brief|sorted|one-line|plain|quick) ){0,3}`;
const answerNoun = String.raw`(?:answer|ans\b\.?|final(?= ?[:=]|[*_]{1,3}:)|final (?:result|response|output|value|solution|verdict|line|list|order|set|word|number|count|total|date|time)|antwort|endergebnis|réponse|respuesta|risposta|resposta|odpowiedź|svar|vastaus|antwoord|cevap|ответ|答案|答え|回答|정답|final_answer|finalanswer)`;
const resultNoun = String.raw`(?:results?|solution|output|response|conclusion|verdict|outcome|total|sum|value|number|count|word|name|names|list|set|date|day|time|digits|line|order|sequence|ranking|text|string|code|ordering|tl;?dr|bottom line|in short|a|ergebnis|lösung|résultat|resultado|risultato|результат|结果|therefore|so|thus|hence|reply|items?|finding|key|summary|decision|return value)`;
const scope = String.raw`(?:(?:,| (?:to|for|of|as|in|after|with|is|from|on|at|by)) [^:\n]{1,60}(?=:))?`;
const note = String.raw`(?: ?[([][^()[\]\n]{1,60}[)\]])?`;

const labelOf = (noun: string) =>
  new RegExp(
    `^${ornament}{0,16}${connective}${announcement}((?:(?:the|my|our|your|a) )?${quality}${noun}${scope}${note})(?![\\p{L}\\p{N}])`,
    'gimu',
  );
// Most lines contain none of the words, and checking for them first is far cheaper.
const answerWords = new RegExp(answerNoun, 'iu');
const resultWords = new RegExp(resultNoun.replace('|a|', '|a(?=[ *_]{0,4}[:=])|'), 'iu');
const answerLabel = labelOf(answerNoun);
const resultLabel = labelOf(resultNoun);

/** The separator between a label and its text on the same line. */
const separator =
  /([*_`"'”’)\]}】」|]{0,6})[ ]*(:=|:|={1,2}>|=|->|→|⇒|➜|➔|–|—|-(?=[ *_`"])|>|\||\.(?=[ ])|[ ]is:?(?=[ ])|$)?[ ]*([*_`"'”’)\]}】」]{0,4}(?=[ ]|$|:))?:?[ ]*/my;

const mark = String.raw`[*_\x60]{0,3}`;
const verb = String.raw`(?:is|are|=|equals|comes (?:out )?(?:to|as)|works out (?:to|as)|turns out to be|must be|becomes|reads|remains|would be|will be|'s)`;
const filler = String.raw`(?:(?:therefore|thus|hence|then|simply|just|exactly|indeed|as follows|the following|clearly|now|still|equal to|given by|found to be|precisely|this|consequently|definitely|obviously|certainly|of course|:)(?=[ ,:*\n]),? ?){0,3}`;
const phraseOf = (noun: string) =>
  new RegExp(
    String.raw`(?<![\p{L}\p{N}'-])((?:the|my|our|your) ${mark}${quality}${mark}${noun}${mark}(?:,? (?:to|for|of|here|that|we|i|you|in|after)(?: [\p{L}\p{N}'"-]{1,20}){1,8}?|,? here|,? then)?,? ?(?:${verb}(?= |:|\*|_|\n|$)|(?=:))) ?${filler}[:,]?[ ]*`,
    'giu',
  );
const answerPhrase = phraseOf(
  String.raw`(?:answer|final (?:result|response|output|value|solution|verdict|line|list|order|set|word|number|count|total|date|time))`,
);

const tag =
  /[<[](answer|final_answer|finalanswer|final-answer|final answer|final|result|output|response|solution|ans|reply)(?: [^<>\n]{0,80})?[>\]]/gi;
const box = /\\(?:boxed|fbox|framebox|boxed\*)\s?\{/g;

/** Every marker of an answer, by position. */
export function findMarkers(text: string): readonly Marker[] {
  return [
    ...findLabels(text, answerLabel, answerWords),
    ...[...text.matchAll(answerPhrase)].map((match) => openMarker(match, 'phrase')),
    ...findTags(text),
    ...findBoxes(text),
  ].toSorted((left, right) => left.start - right.start);
}

/** Labels that count only if no answer is marked, such as "Result:" and "Total:". */
export function findResultLabels(text: string): readonly Marker[] {
  return findLabels(text, resultLabel, resultWords);
}

function openMarker(match: RegExpExecArray, kind: Marker['kind']): Marker {
  const from = match.index + match[0].length;
  return { start: match.index, from, to: null, next: from, kind, words: (match[1] ?? '').toLowerCase() };
}

function findLabels(text: string, label: RegExp, words: RegExp): Marker[] {
  const found: Marker[] = [];
  if (!words.test(text)) return found;
  for (const match of text.matchAll(label)) {
    const end = match.index + match[0].length;
    separator.lastIndex = end;
    const parts = separator.exec(text);
    if (parts === null) continue;
    const from = end + parts[0].length;
    const endsLine = from >= text.length || text.charAt(from) === '\n';
    const divided = (parts[2] ?? '') !== '' || parts[0].includes(':');
    const marked = (parts[1] ?? '') !== '' && match[0].trimStart() !== (match[1] ?? '').trimStart();
    const shouted = /^[A-Z ]{3,}$/.test(match[1] ?? '') && parts[0].startsWith(' ');
    if (!divided && !marked && !shouted && !endsLine) continue;
    found.push({ ...openMarker(match, 'label'), from, next: from });
  }
  return found;
}

function findTags(text: string): Marker[] {
  // Only ASCII letters, because others can change their length.
  const lowered = text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
  const found: Marker[] = [];
  let covered = 0;
  for (const match of lowered.matchAll(tag)) {
    if (match.index < covered) continue;
    const from = match.index + match[0].length;
    const square = match[0].startsWith('[');
    const closing = square ? `[/${match[1] ?? ''}]` : `</${match[1] ?? ''}>`;
    const close = lowered.indexOf(closing, from);
    if (square && close < 0) continue;
    const to = close < 0 ? text.length : close;
    covered = close < 0 ? text.length : to + closing.length;
    found.push({ start: match.index, from, to, next: covered, kind: 'tag', words: match[1] ?? '' });
  }
  return found;
}

function findBoxes(text: string): Marker[] {
  const found: Marker[] = [];
  let covered = 0;
  for (const match of text.matchAll(box)) {
    if (match.index < covered) continue;
    const from = match.index + match[0].length;
    let depth = 1;
    let to = from;
    while (to < text.length && depth > 0) {
      const character = text.charAt(to);
      depth += Number(character === '{') - Number(character === '}');
      to += 1;
    }
    covered = to;
    const end = depth === 0 ? to - 1 : to;
    found.push({ start: match.index, from, to: end, next: to, kind: 'box', words: 'boxed' });
  }
  return found;
}
