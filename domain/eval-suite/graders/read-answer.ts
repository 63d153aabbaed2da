/**
 * Finds the short answer in a reply where form is not graded: after an "Answer:" label, or inside a code
 * fence, quotation marks or emphasis. Everything ignored is noted, so that the message can mention it.
 */
import { maxAnswerCharacters } from '../limits.ts';

/** `notes` says what was ignored. */
export interface ReadAnswer {
  readonly text: string;
  readonly notes: readonly string[];
}

type Wrapper = readonly [opening: string, closing: string, note: string];

const wrappers: readonly Wrapper[] = [
  ['**', '**', 'emphasis removed'],
  ['__', '__', 'emphasis removed'],
  ['`', '`', 'backticks removed'],
  ['"', '"', 'quotation marks removed'],
  ["'", "'", 'quotation marks removed'],
  ['“', '”', 'quotation marks removed'],
  ['‘', '’', 'quotation marks removed'],
  ['«', '»', 'quotation marks removed'],
  ['$', '$', 'dollar signs removed'],
  ['\\boxed{', '}', 'box removed'],
];

const label = /^[ \t*_#>]{0,8}(?:final )?answer[ \t*_]{0,4}:[ \t*_]{0,4}/gim;

/** Null when the text is too long for a short answer. */
export function readAnswer(reply: string): ReadAnswer | null {
  const labelled = lastLabelledLine(reply);
  const text = labelled ?? reply.trim();
  if (text.length > maxAnswerCharacters) return null;
  const notes = labelled === null ? [] : ['read from the line labelled "Answer:"'];
  return { text: withoutWrappers(unfence(text, notes), notes), notes };
}

/** The notes for the end of a message, or nothing. */
export function describeNotes(notes: readonly string[]): string {
  return notes.length === 0 ? '' : ` (${[...new Set(notes)].join(', ')})`;
}

/** The rest of the line after the last "Answer:" label, or the rest of the reply if that line is empty. */
function lastLabelledLine(reply: string): string | null {
  let start = -1;
  for (const found of reply.matchAll(label)) start = found.index + found[0].length;
  if (start === -1) return null;
  const rest = reply.slice(start);
  const line = (rest.split('\n', 1)[0] ?? '').replace(/[\s*_]{1,8}$/, '').trimStart();
  return line === '' ? rest.trim() : line;
}

function unfence(text: string, notes: string[]): string {
  const inside = withoutFence(text);
  if (inside === null) return text;
  notes.push('code fence removed');
  return inside.trim();
}

/** Each round removes at least two characters, so the loop ends. */
function withoutWrappers(text: string, notes: string[]): string {
  let current = text;
  for (;;) {
    const wrapper = wrappers.find((candidate) => wraps(candidate, current));
    if (wrapper === undefined) return current;
    notes.push(wrapper[2]);
    current = current.slice(wrapper[0].length, -wrapper[1].length).trim();
  }
}

/** If the mark also occurs inside, as in a list of quoted words, it does not wrap the whole text. */
function wraps([opening, closing]: Wrapper, text: string): boolean {
  return text.startsWith(opening) && text.indexOf(closing, opening.length) === text.length - closing.length;
}

/** The text inside a code fence that wraps all of `text`, or null. One pass over the text. */
export function withoutFence(text: string): string | null {
  return /^```[^\n]*\n([\s\S]*)```$/.exec(text)?.[1] ?? null;
}
