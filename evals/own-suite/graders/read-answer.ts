/** Reads the answer that a reply gives, by a few rules that its author can foresee. */
import { trimmed } from '../text-forms.ts';

/** At the beginning of a line, with marks such as `**` around it. */
const labelOf = (noun: string, is: string): RegExp =>
  new RegExp(
    String.raw`^[ *_#>\x60]{0,8}(?:(?:so|hence|therefore|thus),? )?(?:(?:the|my) )?(?:(?:final|correct) )?(?:${noun})[*_\x60]{0,3}(?: ?[:=]| ${is}(?= ))`,
    'i',
  );
/** `Answer: `, `**Final choice:** `, `The answer is `. */
const answerLabel = labelOf('answer|(?<=(?:correct|final|my) )(?:choice|option)', 'is:?');
/** Counts where nothing else is marked. `The option is open` marks nothing. */
const optionLabel = labelOf('choice|option', String.raw`is(?::|(?= [*_(\x60]{0,3}\w[*_)\x60]{0,3}\.?\s*$))`);
const enclosed =
  /\\boxed\{(?:\\(?:math|text)\w{0,2}\{([^{}\n]{1,500})\}|([^{}\n]{1,500}))\}|<answer>([^<]{1,2000})<\/answer>/gi;
/** An answer before one of these no longer counts, unless the rest repeats it. */
const retraction =
  /(?:^|[.!?]\s)\W{0,6}(?:actually[,:]|edit:|no[,:] (?:it|that|the answer)\b|oops\b|scratch that\b|(?:correction|wait)(?: ?[^\w\s-]| -| (?:actually|but|I|it|let|maybe|my|no|of (?:my|the answer)|so|that|the (?:answer|correct)|this|to (?:my|the))\b|$))/im;
const denial = /\b(?:no|not|wrong|incorrect|\w{2,5}n['’]t)\b/i;
/** The end of a line that takes back, or asks about, the next. */
const unfinished = /\b(?:(?:I|you) mean|not)$/i;
/** More marks than any honest reply has. */
const marksMax = 20;
/** Lines under a label that is a heading. */
const linesMax = 500;
/** Characters at the end of the line before the last. */
const lineMax = 200;

export interface Answer {
  readonly text: string;
  /** Whether the reply says that it is the answer, with a label, a box or a tag. */
  readonly isMarked: boolean;
  /** Where the line of its last mark begins; 0 without one. */
  readonly from: number;
}

/**
 * What a label, a box or a tag marks, otherwise the last line. Null for an empty reply, and if it marks different
 * answers, takes the answer back, or has no line for it.
 */
export function readAnswer(text: string): Answer | null {
  const lines = text.split('\n');
  const marked = markedIn(text, lines, answerLabel);
  const { answers, from, end } = marked.answers.length > 0 ? marked : markedIn(text, lines, optionLabel);
  if (answers.length > marksMax || new Set(answers.map((answer) => answer.toLowerCase())).size > 1)
    return null;
  if (answers[0] !== undefined)
    return isTakenBack(answers[0], text.slice(end)) ? null : { text: answers[0], isMarked: true, from };
  // The last line may be the end of a fence.
  const at = lines.findLastIndex((line) => bare(line) !== '');
  if (at < 0 || unfinished.test(lines[at - 1]?.slice(-lineMax) ?? '')) return null;
  return { text: bare(lines[at]?.replace(/^#{1,6} /, '') ?? ''), isMarked: false, from: 0 };
}

function isTakenBack(answer: string, behind: string): boolean {
  const start = behind.search(retraction);
  if (start < 0) return false;
  const rest = behind.slice(start);
  return denial.test(rest) || !wordsOf(rest).includes(wordsOf(answer));
}

const wordsOf = (text: string): string => ` ${text.split(/[^\p{L}\p{N}]+/u).join(' ')} `;

/** The marked answers, where the line of the last of them begins, and where it ends. */
function markedIn(
  text: string,
  lines: readonly string[],
  label: RegExp,
): { readonly answers: readonly string[]; readonly from: number; readonly end: number } {
  const answers: string[] = [];
  let from = 0;
  let end = 0;
  for (const match of text.matchAll(enclosed)) {
    answers.push(bare(match[1] ?? match[2] ?? match[3] ?? ''));
    from = text.lastIndexOf('\n', match.index) + 1;
    end = match.index + match[0].length;
  }
  let start = 0;
  for (const [at, line] of lines.entries()) {
    const match = answers.length > marksMax ? null : label.exec(line);
    if (match !== null) {
      const rest = line.slice(match[0].length);
      const below = bare(rest) === '' ? paragraphAt(lines, at + 1) : '';
      const answer = below === '' ? rest : below;
      // A box behind a label is counted above.
      if (answer.search(enclosed) < 0) {
        answers.push(bare(answer));
        from = Math.max(from, start);
        end = Math.max(end, below === '' ? start + line.length : text.indexOf(below, start) + below.length);
      }
    }
    start += line.length + 1;
  }
  return { answers: answers.filter((answer) => answer !== ''), from, end };
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
