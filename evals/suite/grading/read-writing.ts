/** Extracts a piece of writing from a reply: its lines and words, without wrapping and surrounding remarks. */
import { maxReplyCharacters } from '../../limits.ts';
import { cleanTransport } from '../../own-suite/graders/clean-transport.ts';
import { dropReasoning } from '../../own-suite/graders/drop-reasoning.ts';
import { readFences } from './read-document.ts';

export interface Writing {
  /** Not empty, trimmed, without bullets and emphasis. */
  readonly lines: readonly WrittenLine[];
}

export interface WrittenLine {
  readonly text: string;
  /** In lower case, without the punctuation around them. */
  readonly words: readonly string[];
}

/** Longer texts cannot be right: the longest task asks for a twentieth of it. */
const maxWritingCharacters = 24_000;

const closingRemark =
  /^(?:[([]|\*{0,2}(?:note|notes|word count|words?:|explanation|check)|(?:let me know|i hope|hope this|feel free|would you like|this (?:text|version|draft)|here is how|all (?:rules|constraints)|each line|every (?:line|rule)|the (?:text|lines) above)\b)/i;

/** A line that announces the text, or a heading. No rule of any task asks for either. */
const opening = /:[*_]{0,3}$|^#{1,6} /;
const tagLine = /^\s*<\/?[a-z]{1,20}>\s*$/i;

/** Null if there is nothing to read. */
export function readWriting(reply: string): Writing | null {
  const text = readText(reply);
  if (text === null) return null;
  const lines = text
    .split('\n')
    .map(undressLine)
    .filter((line) => line !== '')
    .map((line) => ({ text: line, words: wordsOf(line) }));
  return lines.length === 0 ? null : { lines };
}

/** The paragraphs of the text. Without empty lines, each line is one. */
export function readParagraphs(reply: string): readonly string[] {
  const text = readText(reply);
  if (text === null) return [];
  const blocks = text.split(/\n(?:[ ]*\n)+/);
  return (blocks.length > 1 ? blocks : text.split('\n'))
    .map((block) => block.split('\n').map(undressLine).join(' ').trim())
    .filter((paragraph) => paragraph !== '');
}

function readText(reply: string): string | null {
  if (reply.length > maxReplyCharacters) return null;
  const spoken = dropReasoning(cleanTransport(reply));
  if (spoken === null) return null;
  const fences = readFences(spoken);
  const [only] = fences;
  const text = (only !== undefined && fences.length === 1 ? only.text : withoutRemarks(spoken)).trim();
  return text === '' || text.length > maxWritingCharacters ? null : text;
}

export function wordsOf(line: string): string[] {
  return line
    .toLowerCase()
    .split(/\s+/)
    .map((word) =>
      word.replace(/^[^\p{L}\p{N}]{1,20}/u, '').replace(/(?<![^\p{L}\p{N}])[^\p{L}\p{N}]{1,20}$/u, ''),
    )
    .filter((word) => /[\p{L}\p{N}]/u.test(word));
}

/**
 * The reply without an opening such as "Here is the text:", a heading, tags or quotation marks around it, and a closing
 * remark.
 */
function withoutRemarks(reply: string): string {
  const paragraphs = reply
    .trim()
    .split(/\n(?:[ ]*\n)+|\n[ ]*(?:-{3,}|\*{3,}|_{3,})[ ]*\n/)
    .filter((paragraph) => !/^\s*(?:(?:-{3,}|\*{3,}|_{3,})\s*)?$/.test(paragraph));
  const last = paragraphs.at(-1)?.trim() ?? '';
  if (paragraphs.length > 1 && closingRemark.test(last)) paragraphs.pop();
  const lines = paragraphs.join('\n\n').split('\n');
  const [first = ''] = lines;
  if (lines.length > 1 && opening.test(first.trim())) lines.shift();
  const kept = lines
    .filter((line) => !tagLine.test(line))
    .join('\n')
    .trim();
  return /^"[^"]*"$|^“[^“”]*”$/.test(kept) ? kept.slice(1, -1) : kept;
}

function undressLine(line: string): string {
  return line
    .trim()
    .replace(/^(?:>[ ]?|#{1,6}[ ]|[-*•+–—][ ]+|\(?\d{1,2}[.)][ ]+)/, '')
    .replaceAll(/\*{1,3}|`|(?<![\p{L}\p{N}])_{1,2}|_{1,2}(?![\p{L}\p{N}])/gu, '')
    .trim();
}
