/**
 * Removes wrapping from a text, layer by layer, until nothing changes: fences, marks, quotes, brackets, bullets, emoji.
 */

/** No honest answer has this many layers; the limit keeps hostile nesting cheap. */
const maxLayers = 24;

type Pair = readonly [opening: string, closing: string];

const pairs: readonly Pair[] = [
  ['***', '***'],
  ['**', '**'],
  ['__', '__'],
  ['==', '=='],
  ['``', '``'],
  ['*', '*'],
  ['_', '_'],
  ['`', '`'],
  ['"', '"'],
  ["'", "'"],
  ['“', '”'],
  ['„', '“'],
  ['‘', '’'],
  ['«', '»'],
  ['‹', '›'],
  ['「', '」'],
  ['『', '』'],
  ['《', '》'],
  ['【', '】'],
  ['$$', '$$'],
  ['$', '$'],
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
  ['<', '>'],
  ['|', '|'],
];
const pairsByStart: ReadonlyMap<string, readonly Pair[]> = Map.groupBy(pairs, ([opening]) =>
  opening.charAt(0),
);

/** Marks of a wrapper that opens before the text or closes after it. */
const strays = ['***', '**', '__', '``', '*', '_', '`', '"', "'", '”', '’', '}', ')', ']', '|'];
const straysByEnd: ReadonlyMap<string, readonly string[]> = Map.groupBy(strays, (mark) => mark.slice(-1));
const leadingMarks = ['***', '**', '__', '``', '`', '*', '_', '"', '“', '|'];
const leadingByStart: ReadonlyMap<string, readonly string[]> = Map.groupBy(leadingMarks, (mark) =>
  mark.charAt(0),
);
const openings: Readonly<Record<string, string>> = { '}': '{', ')': '(', ']': '[', '”': '“', '’': '‘' };

/** Decorative emoji. Those that deny or doubt, such as a cross, stay and make the text unreadable. */
const decoration =
  /^(?:(?![❌❎✖🚫⛔🤔🤷❓❔⁉])[\p{Extended_Pictographic}\p{Emoji_Modifier}★☆✓✔☑✅●○◆◇■□▪▫▶►▸‣※❖❯❱➜➤➔→⇒⟹⟶»›∴↳]|[\u{1f1e6}-\u{1f1ff}]|=>|==>|-->|->|>>)+/u;
const trailingDecoration =
  /(?:(?![❌❎✖🚫⛔🤔🤷❓❔⁉])[\p{Extended_Pictographic}\p{Emoji_Modifier}★☆✓✔☑✅●■▪◆∎□]|[\u{1f1e6}-\u{1f1ff}]|\u{1f3fb})$/u;
const bullet = /^(?:#{1,6}|[-*•+·–—◦⁃])[ ]+/;

export function undress(text: string): string {
  let current = text.trim();
  for (let layer = 0; layer < maxLayers; layer += 1) {
    const next = removeLayer(current);
    if (next === current) return current;
    current = next;
  }
  return current;
}

function removeLayer(text: string): string {
  return unfence(text) ?? unquote(text) ?? unwrap(text) ?? trimEnds(text);
}

/** The text inside a code fence around all of `text`, without the name of the language. */
function unfence(text: string): string | null {
  const mark = text.slice(0, 3);
  if (mark !== '```' && mark !== '~~~') return null;
  const run = /^(`{3,8}|~{3,8})/.exec(text)?.[0] ?? mark;
  if (text.length < run.length * 2 || !text.endsWith(run)) return null;
  const inside = text.slice(run.length, -run.length);
  const nested = inside.trim().startsWith(mark) && inside.trim().endsWith(mark);
  if (inside.includes(mark) && !nested && !/^[^\n]{0,20}\n(?:```|~~~)[^]*(?:```|~~~)$/.test(inside.trim()))
    return null;
  return inside.replace(/^[A-Za-z0-9_+.-]{0,20}[ ]*\n/, '').trim();
}

/** A block quote with the mark on every line or on the first line. */
function unquote(text: string): string | null {
  if (!/^>[ ]?[^>=]/.test(text) && !/^>{2,4} /.test(text)) return null;
  // In a text of one line, the search for further lines would visit every character in vain.
  const marks = /[\n\r\u2028\u2029]/.test(text) ? /^>{1,4}[ ]?/gm : /^>{1,4}[ ]?/;
  return text.replace(marks, '').trim();
}

/** Marks inside the text belong to its parts, as in a list of quoted words, and do not wrap the whole. */
function unwrap(text: string): string | null {
  for (const [opening, closing] of pairsByStart.get(text.charAt(0)) ?? []) {
    const length = opening.length + closing.length;
    if (opening === '|' && text.includes('\n')) continue;
    if (/^[*_]$/.test(opening) && text.startsWith(opening + opening)) continue;
    if (!text.startsWith(opening) || !text.endsWith(closing) || text.length <= length) continue;
    const inside = text.slice(opening.length, -closing.length);
    const doubled = /["']/.test(opening) && inside.startsWith(opening) && inside.endsWith(closing);
    if (inside.includes(closing) && !doubled && !balanced(inside, opening, closing)) continue;
    return inside.trim();
  }
  return null;
}

function balanced(text: string, opening: string, closing: string): boolean {
  if (opening === closing) return false;
  const [open, close] = [opening.charCodeAt(0), closing.charCodeAt(0)];
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === open) depth += 1;
    else if (code === close) depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

function trimEnds(text: string): string {
  // The bullet of a first item stays with the bullets of the others.
  let next = text
    .replace(decoration, '')
    .replace(text.includes('\n') ? /^#{1,6} / : bullet, '')
    .trimStart();
  const end = next.slice(-8);
  next = next.slice(0, next.length - end.length) + end.replace(trailingDecoration, '').trimEnd();
  next = /^[*_]{1,6}([^*_]+)[*_]{1,6}$/.exec(next)?.[1]?.trim() ?? next;
  const stray = straysByEnd
    .get(next.slice(-1))
    ?.find(
      (mark) =>
        next.endsWith(mark) &&
        (mark !== '|' || !next.includes('\n')) &&
        isStray(next.slice(0, -mark.length), mark),
    );
  if (stray !== undefined) next = next.slice(0, -stray.length).trimEnd();
  const leading = leadingByStart
    .get(next.charAt(0))
    ?.find(
      (mark) =>
        next.startsWith(mark) &&
        (mark !== '|' || !next.includes('\n')) &&
        !next.includes(mark === '“' ? '”' : mark, mark.length),
    );
  if (leading !== undefined) next = next.slice(leading.length).trimStart();
  const last = next.slice(-5);
  const mark = /(?<=[^.!])\.{1,2}$|(?<=[^!?])!{1,3}$|(?<=[^,;])[,;]$/.exec(last)?.[0] ?? '';
  return next.slice(0, next.length - mark.length).trimEnd();
}

/** Whether no opening mark in `before` belongs to a later closing mark. */
function isStray(before: string, mark: string): boolean {
  const opening = openings[mark] ?? mark;
  if (opening === mark) return countOf(before, mark) % 2 === 0;
  if (!before.includes(opening)) return true;
  const [open, close] = [opening.charCodeAt(0), mark.charCodeAt(0)];
  let depth = 0;
  for (let at = 0; at < before.length; at += 1) {
    const code = before.charCodeAt(at);
    if (code === open) depth += 1;
    else if (code === close && depth > 0) depth -= 1;
  }
  return depth === 0;
}

/**
 * How often `text` contains a mark, which is one character, repeated or not. Cheaper than `split`, which builds a
 * string for each part; hostile text repeats its marks thousands of times.
 */
function countOf(text: string, mark: string): number {
  const character = mark.charCodeAt(0);
  const { length } = mark;
  let count = 0;
  let run = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text.charCodeAt(at) !== character) {
      run = 0;
      continue;
    }
    run += 1;
    if (run < length) continue;
    count += 1;
    run = 0;
  }
  return count;
}
