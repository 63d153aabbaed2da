/** Long prompts that do not arrive whole. The marks that a reply lacks say which part is missing. */
import { isRefusal } from '#evals/own-suite/graders/refuses.ts';
import { firstOfEach } from '../chance.ts';
import type { Mark, Observation } from '../observation.ts';
import { areSeveral, failedOf, found, likely, type Rule, thousands } from '../rule.ts';

const lookAt =
  'Look for a limit of characters or tokens, a retrieval step, or a context window of the model server that is smaller than the prompt.';

/** A model that overlooks marks here and there seldom overlooks this many next to each other, always at one place. */
const fewestNeighbours = 3;

interface Gap extends Observation {
  /** For each mark in order, whether the reply names it. */
  readonly named: readonly boolean[];
  readonly marks: readonly Mark[];
}

export const cut: Rule = (seen) => {
  // A refusal does not show what has arrived.
  const marked = seen.filter(
    ({ sent, reply }) => sent.marks !== undefined && reply !== null && !isRefusal(reply),
  );
  const gaps = firstOfEach(
    failedOf(marked)
      .map(gapOf)
      .filter(({ named }) => named.includes(false)),
  );
  if (!areSeveral(gaps)) return null;
  const whole = Math.max(0, ...marked.filter(({ passed }) => passed).map(({ sent }) => sent.characters));
  const from = whole === 0 ? 'Prompts' : `Prompts of more than ${thousands(whole)} characters`;
  const [shape = 'other', ...otherShapes] = new Set(gaps.map(shapeOf));
  if (shape !== 'other' && otherShapes.length === 0 && neighboursLost(gaps) >= fewestNeighbours)
    return found(gaps, `${from} lose their ${words[shape]}${sizeOf(gaps, shape)}.`, lookAt);
  const isAll = gaps.every(({ named }) => !named.includes(true));
  const what = isAll
    ? 'do not arrive whole, or are not understood: no reply names a word from them.'
    : 'lose lines throughout, as if a search selected parts of them, or the model overlooks lines. To find out, log the prompt that the model gets.';
  return found(gaps, `${from} ${what}`, lookAt, likely);
};

const words = { head: 'beginning', tail: 'end', middle: 'middle' } as const;

/** Missing marks that follow another missing one. Meant for gaps in one piece. */
function neighboursLost(gaps: readonly Gap[]): number {
  return gaps.reduce((sum, { named }) => sum + named.filter((isNamed) => !isNamed).length - 1, 0);
}

function gapOf(seen: Observation): Gap {
  const marks = seen.sent.marks ?? [];
  const reply = seen.reply ?? '';
  return { ...seen, marks, named: marks.map(({ word }) => new RegExp(`\\b${word}\\b`, 'i').test(reply)) };
}

function shapeOf({ named }: Gap): keyof typeof words | 'other' {
  const first = named.indexOf(true);
  const last = named.lastIndexOf(true);
  if (first < 0) return 'other';
  if (isSolid(named.slice(first, last + 1))) {
    if (first > 0 && last === named.length - 1) return 'head';
    return first === 0 && last < named.length - 1 ? 'tail' : 'other';
  }
  const gap = named.indexOf(false);
  const isOneGap = isSolid(named.slice(named.indexOf(true, gap)));
  return gap > 0 && last === named.length - 1 && isOneGap ? 'middle' : 'other';
}

/** How much of the prompt is kept, as far as the marks tell. */
function sizeOf(gaps: readonly Gap[], shape: keyof typeof words): string {
  if (shape === 'middle') return '';
  const kept = gaps.map(({ sent, named, marks }) => {
    const present = marks.filter((_, at) => named[at] === true);
    const edge = shape === 'head' ? 1 - (present[0]?.at ?? 1) : (present.at(-1)?.at ?? 0);
    return Math.round(edge * sent.characters);
  });
  return `: about ${thousands(Math.round(Math.max(...kept) / 100) * 100)} characters of each arrive`;
}

function isSolid(part: readonly boolean[]): boolean {
  return !part.includes(false);
}
