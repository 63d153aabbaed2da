/**
 * Reads a reply without a marked answer: as a whole, then by the lines or blocks that are values by themselves.
 */
import type { Grammar, Outcome, Reading, Unreadable } from './answer.ts';
import { isClosing, isOpening } from './chatter.ts';
import { announcesGuess, doubtsAfter, doubtsAhead } from './doubts.ts';
import { findResultLabels } from './find-markers.ts';
import { isFiller } from './parse-word.ts';
import { isMarkedLine, looksLikeAnswer, readLine } from './read-line.ts';
import { isEnumeration, isRival, readSentence } from './read-sentence.ts';
import type { Sentence } from './read-sentence.ts';
import { undress } from './undress.ts';

/** The number of lines that are checked one by one, from the end. */
const maxPieces = 600;
const explanation =
  /\n[ ]*[#*_>-]{0,4}[ ]*(?:step-by-step |brief |short |detailed |full )?(?:explanation|reasoning|why|notes?|steps|working|how|details|breakdown|verification|check|proof|justification|rationale|method|approach|confidence|derivation|work|analysis|sources?|background|p\.?s\.?|assumptions?|caveats?|calculation|workings)\b[^\n]{0,60}?[:*]|\n#{1,6}[ ][^\n]{0,40}(?:explanation|reasoning|working|steps|how|why)/i;

const pieceOverhead = 20;

interface Piece {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export function readUnmarked(text: string, grammar: Grammar): Outcome {
  const loose = lastLineOf(text);
  const many = grammar.type === 'list' || grammar.type === 'set';
  if (grammar.type !== 'line' && isEnumeration(text, grammar.parse)) {
    return { reason: 'several candidates', loose };
  }
  if (!text.includes('\n') || many) {
    const read = readPiece(text, grammar, false);
    if (read !== null) return outcomeOf(read, loose);
    if (!text.includes('\n')) return { reason: 'nothing of the right type', loose };
  }
  const split = explanation.exec(text);
  if (split !== null && split.index > 0) {
    const outcome = readPieces(text.slice(0, split.index), grammar);
    if ('reading' in outcome)
      return doubtsAfter(text.slice(split.index)) ? { reason: 'hedged or retracted', loose } : outcome;
  }
  return readPieces(text, grammar);
}

function outcomeOf(read: Reading | Exclude<Sentence, Reading | null>, loose: string): Outcome {
  return typeof read === 'string' ? { reason: read, loose } : { reading: read, loose };
}

function readPiece(text: string, grammar: Grammar, lenient: boolean): Sentence {
  return grammar.type === 'line' ? readLine(text) : readSentence(text, grammar.parse, lenient);
}

function readPieces(text: string, grammar: Grammar): Outcome {
  const loose = lastLineOf(text);
  const many = grammar.type === 'list' || grammar.type === 'set';
  const pieces = (many ? blocksOf(text) : linesOf(text)).slice(-maxPieces);
  grammar.work.left -= text.length + pieces.length * pieceOverhead;
  if (grammar.work.left < 0) return { reason: 'too long', loose };
  const bare = pieces.filter((piece) => isBareValue(piece, grammar));
  const marked = grammar.type === 'line' ? bare.filter((piece) => isMarkedLine(piece.text)) : bare;
  const candidates = marked.length === 1 ? marked : bare;
  const chosen = candidates.at(-1);
  const closing = pieces.at(-1);
  if (chosen !== undefined) return readChosen(text, candidates, chosen, closing, grammar);
  return readWorded(text, pieces, grammar);
}

/** A value on its own line, provided that there is no other value and nothing retracts it. */
function readChosen(
  text: string,
  candidates: readonly Piece[],
  chosen: Piece,
  closing: Piece | undefined,
  grammar: Grammar,
): Outcome {
  const loose = chosen.text;
  const read = readPiece(chosen.text, grammar, false);
  if (read === null || typeof read === 'string')
    return { reason: read ?? 'nothing of the right type', loose };
  const rivals = candidates.filter((piece) => piece !== chosen && differs(read, piece, grammar));
  if (rivals.length > 0) return { reason: 'several candidates', loose };
  if (closing !== undefined && closing !== chosen && grammar.type !== 'line') {
    const last = readSentence(closing.text, grammar.parse, false);
    if (
      last !== null &&
      typeof last !== 'string' &&
      JSON.stringify(last.value) !== JSON.stringify(read.value)
    ) {
      return { reason: 'several candidates', loose };
    }
  }
  return judgePlace(text, chosen, read);
}

/**
 * Without a bare value: the last line may contain it among known words, or the first line, or a line labelled
 * "Result:".
 */
function readWorded(text: string, pieces: readonly Piece[], grammar: Grammar): Outcome {
  const loose = lastLineOf(text);
  const lines = linesOf(text);
  const places = [pieces.at(-1), lines.at(-1), ...labelled(text, grammar), lines[0], pieces[0]];
  const many = grammar.type === 'list' || grammar.type === 'set';
  let failure: Unreadable = 'nothing of the right type';
  for (const place of places) {
    if (
      place === undefined ||
      (!many && /^\d{1,3}[.)] /.test(place.text)) ||
      (grammar.type === 'line' && !looksLikeAnswer(place.text) && !isLabelled(place.text))
    )
      continue;
    const read = readPiece(place.text, grammar, place === lines[0]);
    if (read === null) continue;
    if (typeof read === 'string') {
      failure = read;
      break;
    }
    const beside = [lines[0], lines.at(-1)].filter((line) => line !== undefined && !overlaps(line, place));
    if (
      grammar.type !== 'line' &&
      beside.some((line) => isRival(read.value, line?.text ?? '', grammar.parse, true))
    ) {
      return { reason: 'several candidates', loose };
    }
    return judgePlace(text, place, read);
  }
  return { reason: failure, loose };
}

function overlaps(left: Piece, right: Piece): boolean {
  return left.start < right.end && right.start < left.end;
}

function isLabelled(line: string): boolean {
  return findResultLabels(line).length > 0;
}

function labelled(text: string, grammar: Grammar): readonly Piece[] {
  const marker = findResultLabels(text).at(-1);
  if (marker === undefined) return [];
  const ends = grammar.type === 'list' || grammar.type === 'set' ? ['\n\n', '\n'] : ['\n', '\n\n'];
  const from = marker.from + (/^\s*/.exec(text.slice(marker.from, marker.from + 200))?.[0].length ?? 0);
  return ends.map((mark) => {
    const found = text.indexOf(mark, from);
    const end = found < 0 ? text.length : found;
    return { text: text.slice(from, end), start: marker.start, end };
  });
}

function judgePlace(text: string, place: Piece, read: Reading): Outcome {
  const loose = place.text.slice(0, 400);
  const before = text.slice(Math.max(0, place.start - 600), place.start).trimEnd();
  const announced = before.slice(before.lastIndexOf('\n') + 1);
  const doubted =
    doubtsAfter(text.slice(place.end)) ||
    announcesGuess(before.slice(before.lastIndexOf('\n\n') + 1)) ||
    (/[:,…]$|\.\.\.$/.test(announced) && doubtsAhead(announced));
  return doubted ? { reason: 'hedged or retracted', loose } : { reading: read, loose };
}

function isBareValue(piece: Piece, grammar: Grammar): boolean {
  const { text } = piece;
  if (text.length > 8_000 || /^`{3,8}\w*$/.test(text)) return false;
  if (grammar.type === 'line')
    return looksLikeAnswer(text) || (isMarkedLine(text) && !undress(text).endsWith(':'));
  const bare = undress(text);
  if (bare.endsWith(':') || /^#{1,6} \p{L}/u.test(text)) return false;
  if (
    grammar.type === 'word' &&
    (/^\(.*\)$/.test(text) || isFiller(bare) || isOpening(bare) || isClosing(bare) || / /.test(bare))
  )
    return false;
  const value = grammar.parse(bare);
  if (value === null) return false;
  return typeof value === 'string' || value.length > 1 || (grammar.type === 'set' && value.length === 0);
}

function differs(read: Reading, piece: Piece, grammar: Grammar): boolean {
  if (grammar.type === 'line')
    return (
      undress(piece.text) !== undress(String(read.value)) &&
      !String(read.others).includes(undress(piece.text))
    );
  return isRival(read.value, piece.text, grammar.parse);
}

function linesOf(text: string): readonly Piece[] {
  return piecesOf(text, /\n/g);
}

const listStart = /^[ ]*(?:[-*•+]|\(?\d{1,4}[.)])[ ]/;

/** Blocks between empty lines. List items with empty lines between them stay together; fences are left out. */
function blocksOf(text: string): readonly Piece[] {
  const joined: Piece[] = [];
  for (const piece of piecesOf(text, /\n[ ]*\n|\n?```[^\n]*\n?|(?<=:[*_]{0,3})\n/g)) {
    const previous = joined.at(-1);
    const adjacent = previous !== undefined && text.slice(previous.end, piece.start).trim() === '';
    if (adjacent && listStart.test(piece.text) && listStart.test(previous.text)) {
      joined[joined.length - 1] = {
        text: `${previous.text}\n${piece.text}`,
        start: previous.start,
        end: piece.end,
      };
    } else joined.push(piece);
  }
  return joined;
}

function piecesOf(text: string, boundary: RegExp): readonly Piece[] {
  const pieces: Piece[] = [];
  let start = 0;
  const add = (end: number) => {
    const piece = text.slice(start, end).trim();
    if (piece !== '') pieces.push({ text: piece, start, end });
  };
  for (const match of text.matchAll(boundary)) {
    add(match.index);
    start = match.index + match[0].length;
  }
  add(text.length);
  return pieces;
}

function lastLineOf(text: string): string {
  return text.slice(text.lastIndexOf('\n') + 1).slice(-400);
}
