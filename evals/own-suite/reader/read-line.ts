/** Reads an answer that is one line of free text. Its own characters may look like wrapping, so every layer is kept. */
import type { Reading } from './answer.ts';
import { isOpening, isProse } from './chatter.ts';
import { doubtsInNote } from './doubts.ts';
import { markedSpan, withoutLeadIn, withoutTrail } from './lead-in.ts';
import { undress } from './undress.ts';

const labels = /^(?:(?:final )?(?:answer|result|solution|output|response)|explanation|reasoning|text)$/i;
const maxLineCharacters = 16_384;
const bracketNote = /^([^]*[^ ]) ?[([]([^()[\]\n]{1,200})[)\]]$/;
const spanAhead =
  /^(\*\*|`+|"|“|«|__)([^*`"“”«»]{1,4000})(?:\*\*|`+|"|”|»|__)(?:[.,;:]|[ ]+[-–—(])?[ ]+(.{1,400})$/;
const dashNote = /^([^]*[^ ])[ ]+[-–—]{1,2}[ ]+([^]{1,300})$/;

/** The line in `text`, or null if there are several, or if it ends in a colon and so only announces something. */
export function readLine(text: string): Reading | 'hedged or retracted' | null {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > maxLineCharacters) return null;
  const bare = undress(trimmed);
  if (bare.includes('\n') || bare === '') return null;
  const layers = [trimmed, bare];
  for (let round = 0; round < 4; round += 1) {
    const current = layers.at(-1) ?? '';
    const next = nextLayer(current);
    if (next === null || next.inside === current || next.inside === '') break;
    if (doubtsInNote(next.words)) return 'hedged or retracted';
    layers.push(undress(next.inside));
  }
  if (/^([*_`"]).+\1$/.test(trimmed)) layers.unshift(trimmed.slice(1, -1), unescape(trimmed));
  const value = layers.at(-1) ?? '';
  if (labels.test(value) || !/[\p{L}\p{N}]/u.test(value)) return null;
  return value.endsWith(':')
    ? null
    : { value, others: [...new Set(layers.slice(0, -1).filter((layer) => layer !== value))] };
}

/** A quoted string of YAML or JSON without its escapes. */
function unescape(text: string): string {
  return text.slice(1, -1).replaceAll(/\\(["\\])/g, '$1');
}

/** The content of the next layer, and the words next to it, which may doubt it. */
interface Layer {
  readonly inside: string;
  readonly words: string;
}

function nextLayer(text: string): Layer | null {
  const ahead = spanAhead.exec(text);
  if (ahead?.[2] !== undefined && (isProse(ahead[3] ?? '') || /^[([]/.test(ahead[3] ?? ''))) {
    return { inside: ahead[2], words: ahead[3] ?? '' };
  }
  const noted = bracketNote.exec(text) ?? dashNote.exec(text);
  if (noted?.[1] !== undefined && isNote(noted[2] ?? '')) return { inside: noted[1], words: noted[2] ?? '' };
  const sentence = /^([^]{1,16000}?)[.!][ ]+(\p{Lu}[^]{1,400})$/u.exec(text);
  if (sentence?.[1] !== undefined && isProse(sentence[2] ?? '') && !isProse(sentence[1])) {
    return { inside: sentence[1], words: sentence[2] ?? '' };
  }
  const inside = markedSpan(text)?.span ?? withoutTrail(text) ?? withoutLeadIn(text);
  return inside === null ? null : { inside, words: '' };
}

function isNote(words: string): boolean {
  return (
    isProse(words) ||
    doubtsInNote(words) ||
    /^(?:verified|checked|final|confirmed|done|sorted|result|exact|as asked|as requested|answer|in order|double-checked|reversed|edited|swapped)(?: |$)/i.test(
      words,
    )
  );
}

/** Whether a line among others looks like the answer rather than like text about it. */
export function looksLikeAnswer(line: string): boolean {
  const trimmed = line.trim();
  const read = readLine(trimmed);
  if (read === null || typeof read === 'string') return false;
  const value = String(read.value);
  if (isProse(undress(trimmed).replace(/ ?\([^()]{1,200}\)$/, ''))) return false;
  return !isProse(value) && !(isOpening(value) && /[.!:]$/.test(trimmed)) && !trimmed.endsWith(',');
}

/** Whether a line has its own code span, quotation marks, emphasis or block quote. */
export function isMarkedLine(line: string): boolean {
  const trimmed = line.trim();
  return /^(?:`.*`|\*\*.*\*\*|".*"|“.*”|«.*»|> .*|__.*__|\*[^*].*\*)[.!]?$/.test(trimmed);
}
