/** Texts that come back with the same change in several cases, whatever made it. */
import { hiddenIn } from '#evals/own-suite/text-forms.ts';
import type { Observation } from '../observation.ts';
import { failedOf, fewestCases, found, idsOf, type Rule, short } from '../rule.ts';

interface TextChange {
  readonly before: string;
  readonly after: string;
}

interface Altered {
  readonly seen: Observation;
  readonly change: TextChange;
}

const namedMax = 3;
/** A placeholder such as [EMAIL], rather than a word that happens to stand in both. */
const shortestPlaceholder = 3;

export const altered: Rule = (seen) => {
  const all = failedOf(seen).flatMap(changesOf);
  const repeated = groupsOf(all, ({ change }) => JSON.stringify([change.before, change.after]));
  const [replaced] = groupsOf(
    all.filter(({ change: { before, after } }) => before !== '' && after.length >= shortestPlaceholder),
    ({ change }) => change.after,
  );
  const those =
    replaced !== undefined && countOf(replaced) >= countOf(repeated[0] ?? [])
      ? replaced
      : repeated.slice(0, namedMax).flat();
  const [example] = those;
  if (example === undefined) return null;
  const shown = new Map(those.map(({ change }) => [JSON.stringify(change), wordsOf(change)]));
  const { sent, reply } = example.seen;
  return found(
    those.map((one) => one.seen),
    `Texts change on their way: ${[...shown.values()].slice(0, namedMax).join(', ')}.`,
    'Look for code that cleans, formats, escapes or masks texts, in both directions.',
    { change: { before: short(sent.copied ?? ''), after: short(reply ?? '') } },
  );
};

/** Those in several cases, the most common first. */
function groupsOf(all: readonly Altered[], keyOf: (one: Altered) => string): readonly (readonly Altered[])[] {
  return [...Map.groupBy(all, keyOf).values()]
    .filter((group) => countOf(group) >= fewestCases)
    .toSorted((one, other) => countOf(other) - countOf(one));
}

function countOf(group: readonly Altered[]): number {
  return idsOf(group.map(({ seen }) => seen)).length;
}

function changesOf(seen: Observation): readonly Altered[] {
  const copied = seen.sent.copied ?? '';
  const reply = (seen.reply ?? '').trim();
  if (copied === '' || reply === '' || copied.length + reply.length > 2 * diffedCharactersMax) return [];
  const changes = diffTexts(copied, reply);
  const lost = changes.reduce((sum, { before }) => sum + before.length, 0);
  // Otherwise the reply is another text.
  if (lost > copied.length / 2) return [];
  return changes.map((change) => ({ seen, change }));
}

function wordsOf({ before, after }: TextChange): string {
  if (after === '') return `${quoted(before)} disappears`;
  if (before === '') return `${quoted(after)} is added`;
  return `${quoted(before)} becomes ${quoted(after)}`;
}

const spaces: Readonly<Record<string, string>> = {
  ' ': 'a space',
  '\t': 'a tab',
  '\n': 'a line break',
  '\n\n': 'an empty line',
};

function quoted(text: string): string {
  if (/^(?:(?![ \t\n])\s|\p{Cf})+$/u.test(text)) return hiddenIn(text).replace(' with ', '');
  return spaces[text] ?? `"${short(text.replaceAll('\n', '\\n').replaceAll('\t', '\\t'))}"`;
}

/** The work grows with the product of both lengths. */
const diffedCharactersMax = 1_500;

const parts = /\p{L}+|\p{N}+|\s+|[^]/gu;

/** What one text has where the other has something else, in order. What is put before or after it all is no change. */
function diffTexts(before: string, after: string): readonly TextChange[] {
  const from = before.match(parts) ?? [];
  const to = after.match(parts) ?? [];
  // kept[i][j]: how many parts the rest of `from` from i and of `to` from j have in common.
  const kept = Array.from({ length: from.length + 1 }, () => new Uint16Array(to.length + 1));
  const at = (i: number, j: number) => kept[i]?.[j] ?? 0;
  for (let i = from.length - 1; i >= 0; i -= 1) {
    for (let j = to.length - 1; j >= 0; j -= 1) {
      const row = kept[i];
      if (row !== undefined)
        row[j] = from[i] === to[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const changes: TextChange[] = [];
  let [i, j] = [0, 0];
  while (i < from.length || j < to.length) {
    const [startFrom, startTo] = [i, j];
    while ((i < from.length || j < to.length) && !(i < from.length && from[i] === to[j])) {
      if (j >= to.length || (i < from.length && at(i + 1, j) >= at(i, j + 1))) i += 1;
      else j += 1;
    }
    const change = { before: from.slice(startFrom, i).join(''), after: to.slice(startTo, j).join('') };
    const isEdge = startFrom === 0 || i === from.length;
    if (change.before !== change.after && !(isEdge && change.before === '')) changes.push(change);
    while (i < from.length && from[i] === to[j]) [i, j] = [i + 1, j + 1];
  }
  return changes;
}
