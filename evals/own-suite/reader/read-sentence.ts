/** Reads a piece of text with an answer and otherwise only allowed words, a note or a reason. */
import type { AnswerValue, Parse, Reading, Unreadable } from './answer.ts';
import { doubtsAfter, doubtsAhead, doubtsInNote } from './doubts.ts';
import { markedSpan, withoutLeadIn, withoutTrail } from './lead-in.ts';
import { isFiller } from './parse-word.ts';
import { undress } from './undress.ts';

export type Sentence = Reading | Extract<Unreadable, 'hedged or retracted' | 'several candidates'> | null;

const maxRounds = 6;
const maxSentenceCharacters = 16_384;
const bracketNote = /^([^]*[^ ]) ?(?:[([]([^()[\]\n]{1,200})[)\]])$/;
const reason =
  /,[ ]+(?=(?:because|since|as|for|which|who|given|by|after|from|based|being|so|per|due|thanks|i\.e\.|meaning|that is|where|once|obtained|computed|calculated|counting|in that order|in order|in ascending|in descending|sorted)(?![\p{L},]))|[ ]+(?=(?:because|since|given that|as per|based on)(?![\p{L}]))/iu;
const breaks: readonly RegExp[] = [
  /\n[ ]*\n/,
  /\n/,
  /[ ]+(?:[-–—]{1,3}|\/\/|#|<-|←)[ ]+/,
  /[.!;][*_"'`)]{0,3}[ ]+/,
  /—/,
  reason,
];
const noteWords =
  /^(?:verified|checked|final|confirmed|exactly|exact|total|correct|answer|done|sorted|result|iso|iso 8601|24h|24-hour|24-hour clock|alphabetical|ascending|descending|in order|double-checked|rounded|words?|units?|integer|decimal|base ten|utc|end|fin|lowercase|uppercase|only|all|yes|in words|see above|q\.?e\.?d\.?)$/i;

/** Another value in the words after an answer. */
const assertion =
  /(?:^|[ ])(?:it|this|that|which|answer|he|she)(?:'s| is| was| would be| becomes)[ ]+(.{1,200})$/i;

/** @param lenient whether a reason may follow a full stop even if the answer is not marked */
export function readSentence(text: string, parse: Parse, lenient: boolean, rounds = maxRounds): Sentence {
  if (text.length > maxSentenceCharacters) return null;
  const bare = undress(text);
  const value = parse(bare);
  if (typeof value === 'string' || (value !== null && withoutLeadIn(bare) === null)) return { value };
  if (rounds === 0 || bare === '') return value === null ? null : { value };
  const rest = withoutLeadIn(bare) ?? withoutTrail(bare);
  if (rest !== null && rest !== bare) {
    const read = readSentence(rest, parse, lenient, rounds - 1);
    if (read !== null) return read;
  }
  if (value !== null) return { value };
  return (
    readNoted(bare, parse, lenient, rounds) ??
    readReasoned(bare, parse, lenient, rounds) ??
    readSpan(bare, parse, rounds)
  );
}

/** `7 (three and four)`: a note may explain, but not name another candidate. */
function readNoted(text: string, parse: Parse, lenient: boolean, rounds: number): Sentence {
  const match = bracketNote.exec(text);
  if (match?.[1] === undefined || match[2] === undefined) return null;
  const read = readSentence(match[1], parse, lenient, rounds - 1);
  if (read === null || typeof read === 'string') return read;
  if (!noteWords.test(match[2]) && isRival(read.value, match[2], parse, true)) return 'several candidates';
  return judgeRest(read.value, match[2], parse) ?? read;
}

/** `7, because …`, `7 - as asked`, `7. It is …` */
function readReasoned(text: string, parse: Parse, lenient: boolean, rounds: number): Sentence {
  for (const pattern of breaks) {
    const match = pattern.exec(text);
    if (match === null || match.index === 0) continue;
    const rest = text.slice(match.index + match[0].length);
    const read = readSentence(text.slice(0, match.index), parse, lenient, Math.min(rounds - 1, 2));
    if (read === null) continue;
    if (typeof read === 'string') return read;
    // The first item of a list is not the list.
    if (typeof read.value !== 'string' && read.value.length < 2 && rest.includes('\n')) continue;
    const words = rest.split(' ', 4).length;
    if (!lenient && words < 3 && !/^(?:the|this|that|as|my|our|in|per) /i.test(rest)) return null;
    return judgeRest(read.value, rest, parse) ?? read;
  }
  return null;
}

/** `So there are **7**.` */
function readSpan(text: string, parse: Parse, rounds: number): Sentence {
  const found = markedSpan(text);
  if (found === null) return null;
  const read = readSentence(found.span, parse, false, Math.min(rounds - 1, 1));
  if (read === null || typeof read === 'string') return read;
  return doubtsAhead(found.ahead) ? 'hedged or retracted' : read;
}

/** Why the words after a value invalidate it, or null. */
function judgeRest(value: AnswerValue, rest: string, parse: Parse): Sentence {
  if (noteWords.test(rest.trim()) || isRepeated(value, rest, parse)) return null;
  const line = rest.split('\n', 1)[0] ?? '';
  if (doubtsInNote(line) || doubtsAfter(rest)) return 'hedged or retracted';
  const said = assertion.exec(line)?.[1];
  const rival = isRival(value, line, parse) || (said !== undefined && isRival(value, said, parse));
  return rival ? 'several candidates' : null;
}

/** Whether `text` only repeats the items of `value`. */
export function isRepeated(value: AnswerValue, text: string, parse: Parse): boolean {
  return typeof value !== 'string' && JSON.stringify(parse(undress(text))) === JSON.stringify(value);
}

const enumeration = /^[^\p{L}\p{N}\n]*1[.)] +([^\n]{1,200})\n+[^\p{L}\p{N}\n]*2[.)] +([^\n]{1,200})/u;

/** Whether `text` starts with a numbered list of different single values: candidates, none of which is the answer. */
export function isEnumeration(text: string, parse: Parse): boolean {
  const [, first = '', second = ''] = enumeration.exec(text) ?? [];
  const values = [first, second].map((item) => parse(undress(item.replace(/[*_`]+$/, ''))));
  return values.every((value) => typeof value === 'string') && values[0] !== values[1];
}

/** Whether `text` is another value by itself. */
export function isRival(value: AnswerValue, text: string, parse: Parse, strict = false): boolean {
  const bare = undress(text);
  if (bare === '' || bare.includes('=') || isFiller(bare) || noteWords.test(bare)) return false;
  const other = parse(bare);
  if (other === null) return false;
  if (typeof other !== 'string' && typeof value !== 'string') {
    if (JSON.stringify(other) === JSON.stringify(value)) return false;
    if (other.some((item) => value.includes(item))) return true;
    // One other word may be chatter, unless the answer is one word as well.
    const isPlain = other.every((item) => !item.includes(' '));
    return isPlain && (strict || (value.length === 1 && other.length === 1));
  }
  return other !== value && !/ /.test(String(other));
}
