/** Long prompts that do not arrive whole. The marks that a reply lacks say which part is missing. */
import { isRefusal } from '#evals/own-suite/graders/refuses.ts';
import { fewestCases, failedOf, idsOf, type Mark, type Observation, type Rule } from '../observation.ts';
import { thousands } from './no-reply.ts';

const look_at =
  'Look for a limit of characters or tokens, a retrieval step, or a context window of the model server that is smaller than the prompt.';

/** A model that overlooks marks here and there seldom overlooks this many next to each other, always at one place. */
const fewestNeighbours = 3;

interface Gap {
  readonly seen: Observation;
  /** For each mark in order, whether the reply names it. */
  readonly found: readonly boolean[];
  readonly marks: readonly Mark[];
}

export const cut: Rule = (seen) => {
  // A refusal does not show what has arrived.
  const marked = seen.filter(
    ({ sent, reply }) => sent.marks !== undefined && reply !== null && !isRefusal(reply),
  );
  const gaps = failedOf(marked)
    .map(gapOf)
    .filter(({ found }) => found.includes(false));
  if (gaps.length < fewestCases) return null;
  const whole = Math.max(0, ...marked.filter(({ passed }) => passed).map(({ sent }) => sent.characters));
  const from = whole === 0 ? 'Prompts' : `Prompts of more than ${thousands(whole)} characters`;
  const common = { look_at, cases: idsOf(gaps.map((gap) => gap.seen)) };
  const [shape = 'other', ...otherShapes] = new Set(gaps.map(shapeOf));
  if (shape !== 'other' && otherShapes.length === 0 && neighboursLost(gaps) >= fewestNeighbours) {
    return {
      ...common,
      sentence: `${from} lose their ${words[shape]}${sizeOf(gaps, shape)}.`,
      certainty: 'certain',
    };
  }
  const isAll = gaps.every(({ found }) => !found.includes(true));
  if (isAll) {
    return {
      ...common,
      sentence: `${from} do not arrive whole, or are not understood: no reply names a word from them.`,
      certainty: 'likely',
    };
  }
  return {
    ...common,
    sentence: `${from} lose lines all over, as if a search chose parts of them, or the model overlooks lines. To find out, log the prompt that the model gets.`,
    certainty: 'likely',
  };
};

const words = { head: 'beginning', tail: 'end', middle: 'middle' } as const;

/** Missing marks that follow another missing one. Meant for gaps in one piece. */
function neighboursLost(gaps: readonly Gap[]): number {
  return gaps.reduce((sum, { found }) => sum + found.filter((isFound) => !isFound).length - 1, 0);
}

function gapOf(seen: Observation): Gap {
  const marks = seen.sent.marks ?? [];
  const reply = seen.reply ?? '';
  return { seen, marks, found: marks.map(({ word }) => new RegExp(`\\b${word}\\b`, 'i').test(reply)) };
}

function shapeOf({ found }: Gap): keyof typeof words | 'other' {
  const first = found.indexOf(true);
  const last = found.lastIndexOf(true);
  if (first < 0) return 'other';
  if (isSolid(found.slice(first, last + 1))) {
    if (first > 0 && last === found.length - 1) return 'head';
    if (first === 0 && last < found.length - 1) return 'tail';
    return 'other';
  }
  const gap = found.indexOf(false);
  const isOneGap = isSolid(found.slice(found.indexOf(true, gap)));
  return gap > 0 && last === found.length - 1 && isOneGap ? 'middle' : 'other';
}

/** How much of the prompt is kept, as far as the marks tell. */
function sizeOf(gaps: readonly Gap[], shape: keyof typeof words): string {
  if (shape === 'middle') return '';
  const kept = gaps.map(({ seen, found, marks }) => {
    const present = marks.filter((_, at) => found[at] === true);
    const edge = shape === 'head' ? 1 - (present[0]?.at ?? 1) : (present.at(-1)?.at ?? 0);
    return Math.round(edge * seen.sent.characters);
  });
  return `: about ${thousands(Math.round(Math.max(...kept) / 100) * 100)} characters of each arrive`;
}

function isSolid(part: readonly boolean[]): boolean {
  return !part.includes(false);
}
