/** Finds the answer in a reply: after its last marker, otherwise as the whole reply, or its last or first line. */
import type { Grammar, Outcome, Reading } from './answer.ts';
import { announcesGuess, doubtsAfter, doubtsAhead, isHedged } from './doubts.ts';
import { findMarkers } from './find-markers.ts';
import type { Marker } from './find-markers.ts';
import { withoutLeadIn } from './lead-in.ts';
import { looksLikeAnswer, readLine } from './read-line.ts';
import { isEnumeration, isRepeated, isRival, readSentence } from './read-sentence.ts';
import { readStructure } from './read-structure.ts';
import type { Structure } from './read-structure.ts';
import { readUnmarked } from './read-unmarked.ts';
import { trimChatter } from './trim-chatter.ts';
import { undress } from './undress.ts';

const maxDepth = 6;

/** The cost of a region in addition to its characters. */
const regionOverhead = 200;

export function readRegion(region: string, grammar: Grammar, depth = 0): Outcome {
  const raw = region.trim();
  const text = trimChatter(openFence(raw));
  grammar.work.left -= text.length + regionOverhead;
  if (grammar.work.left < 0) return { reason: 'too long', loose: '' };
  if (text === '' || depth > maxDepth) return { reason: 'nothing of the right type', loose: '' };
  const markers = findMarkers(text);
  const structure = /[{[|]/.test(raw) ? readStructure(raw) : null;
  const wanted = structure !== null && (structure.named || grammar.type !== 'line');
  if (structure !== null && wanted && findMarkers(raw.slice(structure.end)).length === 0) {
    const outcome = readStructured(raw, structure, grammar, depth);
    if ('reading' in outcome || structure.doubted) return outcome;
  }
  const rest = announced(undress(text));
  if (markers.length === 0 && rest !== null && findMarkers(rest)[0]?.start === 0) {
    return readRegion(rest, grammar, depth + 1);
  }
  const outcome =
    markers.length > 0 ? readMarked(text, markers, grammar, depth) : readUnmarked(text, grammar);
  if ('reading' in outcome || outcome.reason !== 'nothing of the right type') return outcome;
  return rest === null ? outcome : readRegion(rest, grammar, depth + 1);
}

/** The text after words that announce it with a colon, or on the only line. */
function announced(text: string): string | null {
  const rest = withoutLeadIn(text);
  if (rest === null || !text.includes('\n')) return rest;
  return /[:=→>-][ *_`]*$/.test(text.slice(0, text.length - rest.length)) ? rest : null;
}

/** A fence around the whole text hides its markers from the start of a line. */
function openFence(text: string): string {
  const trimmed = text.trim();
  return /^(?:```|~~~|>)/.test(trimmed) ? undress(trimmed) : trimmed;
}

function readStructured(text: string, structure: Structure, grammar: Grammar, depth: number): Outcome {
  const loose = JSON.stringify(structure.content);
  const after = text.slice(structure.end);
  const before = text.slice(0, structure.start);
  if (structure.doubted) return { reason: 'several candidates', loose };
  if (doubtsAfter(after) || isHedged(before.slice(-400))) return { reason: 'hedged or retracted', loose };
  const { content } = structure;
  if (typeof content === 'string') return readRegion(content, grammar, depth + 1);
  if (content.length === 1) return readRegion(content[0] ?? '', grammar, depth + 1);
  const many = grammar.type === 'list' || grammar.type === 'set';
  if (many) {
    const value = grammar.parse(content.join('\n'));
    return value === null ? { reason: 'nothing of the right type', loose } : { reading: { value }, loose };
  }
  return { reason: 'several candidates', loose };
}

/** The last marker counts, or a box or tag around it. */
function readMarked(text: string, markers: readonly Marker[], grammar: Grammar, depth: number): Outcome {
  const last = markers.at(-1);
  if (last === undefined) return { reason: 'nothing of the right type', loose: '' };
  const around = markers.find(
    (other) => other.to !== null && other.from <= last.start && last.start < other.to,
  );
  const marker = around ?? last;
  const ahead = text.slice(text.lastIndexOf('\n', marker.start - 1) + 1, marker.start);
  const loose = text.slice(marker.from, marker.from + 400).trim();
  if (isDoubted(text, marker, ahead)) return { reason: 'hedged or retracted', loose };
  const marked = text.slice(marker.from, marker.to ?? undefined).trimStart();
  if (grammar.type !== 'line' && isEnumeration(marked, grammar.parse)) {
    return { reason: 'several candidates', loose };
  }
  let failure: Outcome = { reason: 'nothing of the right type', loose };
  for (const { from, to, rest } of contentsOf(text, marker, grammar)) {
    const content = text.slice(from, to);
    const outcome = readContent(content, grammar, depth, rest === true);
    if (!('reading' in outcome)) {
      if (outcome.reason !== 'nothing of the right type') failure = { ...outcome, loose };
      continue;
    }
    const next = marker.to === null ? to : marker.next;
    return judge(text, markers, marker, outcome, text.slice(next), grammar);
  }
  return failure;
}

function isDoubted(text: string, marker: Marker, ahead: string): boolean {
  const sentence = ahead.split(/[.!?;] /).at(-1) ?? '';
  const words = marker.kind === 'label' || marker.kind === 'phrase' ? marker.words : '';
  const doubted =
    marker.kind === 'box' || marker.kind === 'tag'
      ? isHedged(sentence) || /\bnot\b|n't\b|❌/.test(sentence)
      : doubtsAhead(sentence);
  return doubted || isHedged(words) || announcesGuess(paragraphBefore(text, marker.start));
}

/** The paragraph that ends at `position` and the one before it, where a guess is announced. */
function paragraphBefore(text: string, position: number): string {
  const before = text.slice(Math.max(0, position - 600), position).trimEnd();
  return before.slice(before.lastIndexOf('\n\n') + 1);
}

interface Span {
  readonly from: number;
  readonly to: number;
  /** Whether this is all the remaining text, which may contain a nested reply. */
  readonly rest?: true;
}

/** The regions that a marker may mark, the likeliest first: its line, its block, the rest of the text. */
function contentsOf(text: string, marker: Marker, grammar: Grammar): readonly Span[] {
  if (marker.to !== null) return [{ from: marker.from, to: marker.to, rest: true }];
  const skipped = /^[\s]*/.exec(text.slice(marker.from, marker.from + 2_000))?.[0] ?? '';
  const from = marker.from + skipped.length;
  const fence = /^(`{3,8}|~{3,8})/.exec(text.slice(from, from + 8))?.[0];
  const close = fence === undefined ? -1 : text.indexOf(`\n${fence}`, from);
  const lineEnd = endOf(text, '\n', from);
  const blockEnd = blockEndOf(text, from);
  const line = { from, to: lineEnd };
  const block = { from, to: blockEnd };
  const rest: Span = { from, to: text.length, rest: true };
  const fenced = close < 0 || fence === undefined ? [] : [{ from, to: close + 1 + fence.length }];
  const many = grammar.type === 'list' || grammar.type === 'set';
  return [...fenced, ...(many ? [block, line, rest] : [line, block, rest])];
}

function endOf(text: string, mark: string, from: number): number {
  const end = text.indexOf(mark, from);
  return end < 0 ? text.length : end;
}

const listLine = /^\n*[ ]*(?:[-*•+]|\(?\d{1,4}[.)])[ ]/;

/** A block ends at an empty line, but a list may have empty lines between its items. */
function blockEndOf(text: string, from: number): number {
  let end = endOf(text, '\n\n', from);
  if (!listLine.test(text.slice(from, from + 20))) return end;
  while (end < text.length && listLine.test(text.slice(end, end + 20))) {
    end = endOf(text, '\n\n', end + 2);
  }
  return end;
}

/** Reads a marked region: the answer itself with a note or reason, or a region with markers of its own. */
function readContent(content: string, grammar: Grammar, depth: number, whole: boolean): Outcome {
  grammar.work.left -= content.length + regionOverhead;
  if (grammar.work.left < 0) return { reason: 'too long', loose: '' };
  const trimmed = content.trim();
  const loose = trimmed.slice(0, 400);
  if (trimmed === '') return { reason: 'nothing of the right type', loose };
  const inner = findMarkers(trimmed);
  if (inner.length > 0 || /^[[{|]/.test(trimmed) || (whole && trimmed.includes('\n'))) {
    const outcome = readRegion(trimmed, grammar, depth + 1);
    if ('reading' in outcome || outcome.reason !== 'nothing of the right type') return outcome;
  }
  const read =
    grammar.type === 'line'
      ? readLine(trimChatter(trimmed))
      : readSentence(trimChatter(trimmed), grammar.parse, true);
  if (read === null) return { reason: 'nothing of the right type', loose };
  return typeof read === 'string' ? { reason: read, loose } : { reading: read, loose };
}

/** The final check: an answer does not count if the text after it retracts or doubts it, or gives another one. */
function judge(
  text: string,
  markers: readonly Marker[],
  marker: Marker,
  outcome: Outcome & { reading: Reading },
  after: string,
  grammar: Grammar,
): Outcome {
  const { loose, reading } = outcome;
  if (doubtsAfter(after)) return { reason: 'hedged or retracted', loose };
  if (hasRival(reading, after, grammar)) return { reason: 'several candidates', loose };
  const previous = markers.findLast((other) => other.start < marker.start && (other.to ?? 0) <= marker.start);
  if (previous !== undefined && !(/final/.test(marker.words) && !/final/.test(previous.words))) {
    const between = text.slice(previous.from, previous.to ?? marker.start);
    const gap = text.slice(previous.to === null ? previous.from : previous.next, marker.start);
    const single =
      previous.to === null ? !between.trim().includes('\n') : /^[\s,;|/]*(?:(?:or|and|\/)[\s]*)?$/i.test(gap);
    if (single && isOther(reading, between, grammar)) return { reason: 'several candidates', loose };
  }
  return outcome;
}

/** Whether an adjacent marker marks another answer. */
function isOther({ value, others = [] }: Reading, text: string, grammar: Grammar): boolean {
  if (grammar.type !== 'line') {
    const read = readSentence(text, grammar.parse, false);
    const said = read === null || typeof read === 'string' ? text : String(read.value);
    return isRival(value, said, grammar.parse, true);
  }
  const other = looksLikeAnswer(text) ? readLine(text) : null;
  if (other === null || typeof other === 'string') return other !== null;
  return ![value, ...others].includes(other.value);
}

/** Whether a line after the answer is another value by itself. */
function hasRival(reading: Reading, after: string, grammar: Grammar): boolean {
  if (grammar.type === 'line') return isOther(reading, after.split('\n', 2)[1] ?? '', grammar);
  if (isRepeated(reading.value, after.slice(0, 8_000), grammar.parse)) return false;
  const lines = after.slice(0, 8_000).split('\n').slice(0, 200);
  return lines.some(
    (line) => line.trim() !== '' && !line.trim().endsWith(':') && isRival(reading.value, line, grammar.parse),
  );
}
