/** Reads the answer that a reply gives, by a few rules that its author can foresee. */
import { trimmed } from '../text-forms.ts';

/** At the beginning of a line: `Answer: `, `**Final answer:** `, `The answer is `. */
const label =
  /^[ *_#>`]{0,8}(?:so,? |therefore,? |thus,? )?(?:(?:the|my) )?(?:(?:final|correct) )?answer[*_`]{0,3}(?: ?[:=]| is:?(?= ))/i;
const enclosed = /\\boxed\{([^{}\n]{1,500})\}|<answer>([^<]{1,2000})<\/answer>/gi;
/** More marks than any honest reply has. */
const marksMax = 20;
/** Lines under a label that is a heading. */
const linesMax = 500;

export interface Answer {
  readonly text: string;
  /** Whether the reply says that it is the answer, with a label, a box or a tag. */
  readonly isMarked: boolean;
}

/**
 * What a label, a box or a tag marks, otherwise the last line. Null for an empty reply, and if it marks different
 * answers.
 */
export function readAnswer(text: string): Answer | null {
  const marked = markedIn(text);
  if (marked.length > marksMax || new Set(marked.map((answer) => answer.toLowerCase())).size > 1) return null;
  if (marked[0] !== undefined) return { text: marked[0], isMarked: true };
  const last = bare(text.slice(text.lastIndexOf('\n') + 1));
  return last === '' ? null : { text: last, isMarked: false };
}

function markedIn(text: string): readonly string[] {
  const found = [...text.matchAll(enclosed)].map(([, boxed, tagged]) => bare(boxed ?? tagged ?? ''));
  const lines = text.split('\n');
  for (const [at, line] of lines.entries()) {
    const match = found.length > marksMax ? null : label.exec(line);
    if (match === null) continue;
    const rest = bare(line.slice(match[0].length));
    found.push(rest === '' ? bare(paragraphAt(lines, at + 1)) : rest);
  }
  return found.filter((answer) => answer !== '');
}

/** The lines from the first that is not blank to the next that is. */
function paragraphAt(lines: readonly string[], at: number): string {
  const near = lines.slice(at, at + linesMax);
  const first = near.findIndex((line) => line.trim() !== '');
  if (first < 0) return '';
  const end = near.findIndex((line, place) => place > first && line.trim() === '');
  return near.slice(first, end < 0 ? undefined : end).join('\n');
}

const emphasis = /[\s*_`$"“”]/;
const brackets =
  /^(?:\([^()]{0,2000}\)|\[[^[\]]{0,2000}\]|\{[^{}]{0,2000}\}|'[^']{0,2000}'|‘[^‘’]{0,2000}’)$/;

/** Without the marks and brackets around it, and a full stop at its end. */
export function bare(text: string): string {
  const form = trimmed(text, emphasis);
  if (form.length > 1 && /(?<!\.)\.$/.test(form)) return bare(form.slice(0, -1));
  return form.length > 2 && brackets.test(form) ? bare(form.slice(1, -1)) : form;
}

/**
 * The items of a list, as they may be meant: with `and` as part of the last one, or before it.
 * @param text such as `ana, bo and cy` or `[ana; bo; cy]`
 */
export function readItems(text: string): readonly (readonly string[])[] {
  const items = text
    .split(/,|;|→|->|\n/)
    .map(bare)
    .filter((item) => item !== '');
  const last = items.at(-1) ?? '';
  const parts = last.replace(/^and /i, '').split(/ (?:and|&) /);
  const joined = [...items.slice(0, -1), ...parts.map(bare)];
  return joined.length > items.length || joined.at(-1) !== last ? [items, joined] : [items];
}
