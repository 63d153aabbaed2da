/** Reads the items of a list or set, on one line or one per line, in the notations of prose, Markdown and code. */
import { doubtsInNote } from './doubts.ts';
import { isProse } from './chatter.ts';
import { undress } from './undress.ts';

const maxItems = 2_000;
const maxItemCharacters = 80;
const maxItemWords = 6;

const ordinal =
  /^(?:step |item |no\.? ?|number |position |place |rank )?(?:#|\()?(\d{1,4})(?:st|nd|rd|th)?(?:[.):]|\.\)| -| –| —)[ ]+|^#(\d{1,4}) /i;
/** The remains of a keycap number. */
const bareOrdinal = /^(\d{1,3})[ ](?=[\p{L}*`"])/u;
const bullet = /^(?:[-*•+·–—◦▪‣⁃●○■□→➜➤✓✔✅☑]|\[[ xX]\])[ ]+/u;
const wordOrdinals =
  /^(first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|then|next|finally|last|lastly|after that)(?:,|:| is| comes)? +/i;
const separators = [
  /[ ]*(?:,|;)?[ ]*(?:->|→|⟶|=>|⇒|➜|➔|>|»|\bthen\b|\bfollowed by\b)[ ]*/,
  /[ ]*;[ ]*/,
  /[ ]*[|•·][ ]*/,
  /[ ]*,[ ]*/,
  /[ ]+\/[ ]+/,
];
const dash = /[ ]+[-–—][ ]+/;
const noteWord =
  /^(?:verified|checked|final|confirmed|exact(?:ly)?|total|correct|answer|done|sorted|result|ascending|descending|alphabetical|only|all|yes|end)$/i;
const refused =
  /(?:^|[ ])(?:or|either|neither|nor|maybe|perhaps|possibly|probably|likely|not|no|except|but|unless|if|wait|actually|instead)(?:$|[ ])|[?!;:<>{}()=|“”]|\.[ ]|^$|^[-–—]| [-–—] /i;

/** A note with one word could be another item. */
const explains =
  / |\d|^(?:first|second|third|last|verified|checked|shortest|longest|smallest|largest|given)$/i;
const labels = /^(?:(?:final )?(?:answer|result|solution|output|response)|explanation|reasoning|text)$/i;

/** The items, or null if `text` is not exactly one list. */
export function parseItems(text: string, joined: boolean): readonly string[] | null {
  const body = text.trim();
  const lines = body.split('\n').map((line) => line.trim());
  const filled = lines.filter((line) => line !== '' && !/^[[\](){}]$/.test(line));
  if (filled.length > maxItems) return null;
  return filled.length > 1 ? parseLines(filled) : parseLine(filled[0] ?? '', joined);
}

function parseLines(lines: readonly string[]): readonly string[] | null {
  const inner = lines.slice(0, -1);
  if (inner.every((line) => line.endsWith(',')) && lines.some((line) => /,[ ]?[^ ]/.test(line))) {
    return parseLine(lines.join(' '), true);
  }
  if (ascending(lines.map((line) => Number(bareOrdinal.exec(line)?.[1] ?? -1)))) {
    return itemsOf(lines, (line) => cleanItem(line.replace(bareOrdinal, ''), true));
  }
  if (lines.some((line) => /[^ ] [^ ].*[.!]$/.test(line) || /,[ ]?[^ ]/.test(line))) return null;
  const numbers = lines.map(numberOf);
  const numbered = numbers.filter((number) => number !== null).length;
  if (numbered !== 0 && (numbered !== lines.length || !ascending(numbers))) return null;
  const bulleted = lines.filter((line) => bullet.test(line)).length;
  if (bulleted !== 0 && bulleted !== lines.length) return null;
  return itemsOf(lines, (line) => cleanItem(line, true));
}

function numberOf(line: string): number | null {
  const match = ordinal.exec(undressMarks(line));
  return match === null ? null : Number(match[1] ?? match[2]);
}

function undressMarks(line: string): string {
  return line.replace(bullet, '').replace(/^[*_`]{1,3}(?=[#(]?\d)/, '');
}

/** Numbers must count up by one from 0 or 1; otherwise the intended order is unclear. */
function ascending(numbers: readonly (number | null)[]): boolean {
  const start = numbers[0] ?? -1;
  return (start === 0 || start === 1) && numbers.every((number, place) => number === start + place);
}

function parseLine(line: string, joined: boolean): readonly string[] | null {
  const inline = splitNumbered(line);
  if (inline !== null) return itemsOf(inline, (item) => cleanItem(item, false));
  const bare = undress(undress(line).replace(/^1[.)] +(?=[^ ,;|]+(?: [^ ,;|]+){0,5}$)/, ''));
  const separator = separators.find((candidate) => candidate.test(bare)) ?? (isDashed(bare) ? dash : /,/);
  const parts = bare.split(separator);
  if (parts.length > maxItems) return null;
  const spread = splitLast(parts, joined);
  return itemsOf(spread, (item) => cleanItem(item, false));
}

/**
 * `ana – bel – cor`. Between two words, a dash may also begin a note.
 */
function isDashed(text: string): boolean {
  const parts = text.split(dash);
  if (parts.length !== 2) return parts.length > 2;
  return parts.every((part) => /^[\p{L}\p{N}'’]+$/u.test(part)) && !noteWord.test(parts[1] ?? '');
}

/** `1. ana 2. bel` or `1) ana, 2) bel`; null if the numbers do not count up. */
function splitNumbered(line: string): readonly string[] | null {
  if (!/^[(#]?[01][.):]/.test(line)) return null;
  const marks = [...line.matchAll(/(?<=^|[ ,;])[(#]?(\d{1,4})[.):][ ]?/g)];
  if (marks.length < 2 || !ascending(marks.map((mark) => Number(mark[1])))) return null;
  return marks.map((mark, place) =>
    line.slice(mark.index + mark[0].length, marks[place + 1]?.index ?? line.length).replace(/[ ,;]+$/, ''),
  );
}

/** The word "and" joins the last item; in a set of two it is the only separator. */
function splitLast(parts: readonly string[], joined: boolean): readonly string[] {
  const last = parts.at(-1) ?? '';
  const rest = parts.slice(0, -1);
  if (/^(?:and|&|then|finally|lastly|and then|and finally) /i.test(last)) {
    return [...rest, last.replace(/^(?:and then|and finally|and|&|then|finally|lastly),? /i, '')];
  }
  const halves = last.split(/ (?:and|&|\+) /i);
  return joined || parts.length > 1 || halves.length === 2 ? [...rest, ...halves] : parts;
}

function cleanItem(item: string, ownLine: boolean): string {
  let bare = item.trim().replace(/,$/, '');
  if (ownLine) bare = undressMarks(bare).replace(ordinal, '').replace(wordOrdinals, '');
  bare = undress(bare);
  if (ownLine) bare = leadingSpan(bare) ?? bare;
  const note = /^(.*[^ ]) ?[([]([^()[\]]{1,60})[)\]]$/.exec(bare);
  if (note?.[1] !== undefined && note[2] !== undefined) {
    bare = doubtsInNote(note[2]) || !explains.test(note[2]) ? '' : undress(note[1]);
  }
  return bare;
}

/** The item of a line such as `**ana** - four letters`. */
function leadingSpan(text: string): string | null {
  const match = /^(\*\*|`|")([^*`"]{1,80})\1[ ]*(?:[-–—:(]|, )(.{1,200})$/.exec(text);
  return match?.[2] === undefined || doubtsInNote(match[3] ?? '') ? null : match[2].trim().replace(/:$/, '');
}

/** Stops at the first part that is not an item, because most texts are not lists. */
function itemsOf(parts: readonly string[], clean: (part: string) => string): readonly string[] | null {
  const items: string[] = [];
  for (const part of parts) {
    const item = clean(part);
    if (!isItem(item)) return null;
    items.push(item);
  }
  return items.length > 0 ? items : null;
}

function isItem(text: string): boolean {
  return (
    text.length <= maxItemCharacters &&
    /[\p{L}\p{N}]/u.test(text) &&
    !refused.test(text) &&
    !labels.test(text) &&
    text.split(' ').length <= maxItemWords &&
    !(text.includes(' ') && isProse(text))
  );
}
