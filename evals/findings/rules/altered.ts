/** Texts that come back with the same change in several cases, whatever made it. */
import { hiddenIn } from '#evals/own-suite/text-forms.ts';
import { diffedCharactersMax, diffTexts, type TextChange } from '../diff-texts.ts';
import type { Observation } from '../observation.ts';
import { failedOf, fewestCases, found, idsOf, type Rule, short } from '../rule.ts';

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
