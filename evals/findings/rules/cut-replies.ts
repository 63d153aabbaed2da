/** Replies that are only the beginning or the end of the text that the agent was to copy. */
import type { Observation } from '../observation.ts';
import {
  areSeveral,
  commonStart,
  failedOf,
  type Found,
  found,
  idsOf,
  type Rule,
  short,
  thousands,
} from '../rule.ts';

interface Part extends Observation {
  readonly text: string;
  readonly lost: string;
}

const fewestEnds = 3;
const longestEnd = 40;
const shortestCut = 200;
const stream = 'Look at how the chunks of a stream are put together: the first or the last one is dropped.';
const limit = 'Look at the token limit of a reply, and at columns or buffers of a fixed size.';

export const cutReplies: Rule = (seen) => cutCopies(seen) ?? oneLength(seen);

function lengthOf({ reply }: Observation): number {
  return reply?.trim().length ?? 0;
}

const tens = (count: number) => thousands(Math.round(count / 10) * 10);

/** The longest replies have one length, and none is longer. */
function oneLength(seen: readonly Observation[]): Found {
  const longest = Math.max(0, ...seen.map(lengthOf));
  // Cutting may leave a space at the end, which is trimmed.
  const those = seen.filter((one) => lengthOf(one) >= longest - 2);
  if (longest < shortestCut || !areSeveral(those) || those.some(({ passed }) => passed)) return null;
  return found(those, `Replies are cut off after about ${tens(longest)} characters.`, limit);
}

function cutCopies(seen: readonly Observation[]): Found {
  const copies = seen.filter(({ sent, reply }) => sent.copied !== undefined && reply !== null);
  const failed = failedOf(copies);
  const say = (sentence: string, those: readonly Part[], look_at: string) => {
    const [example] = those.toSorted((one, other) => one.text.length - other.text.length);
    const change = { before: short(example?.sent.copied ?? ''), after: short(example?.text ?? '') };
    // A fault of most copies is one of all replies.
    const isOfAll = those.length >= 0.7 * copies.length;
    const cases = isOfAll ? failedOf(seen).filter(({ reply }) => reply !== null) : those;
    return found(cases, `${sentence}.`, look_at, { change });
  };
  const areMost = (those: readonly Part[]) =>
    idsOf(those).length >= fewestEnds && those.length >= copies.length / 2;
  const ends = failed.flatMap((one) => partOf(one, 'end'));
  if (areMost(ends)) return say('The first characters of replies are lost', ends, stream);
  const starts = failed.flatMap((one) => partOf(one, 'start'));
  const shortLost = starts.filter(({ lost }) => lost.length <= longestEnd);
  if (areMost(shortLost) && spread(shortLost.map(({ lost }) => lost.length)) <= 2)
    return say('The last characters of replies are lost', shortLost, stream);
  const long = starts.filter(({ text }) => text.length >= shortestCut);
  if (areSeveral(long)) return say(`Replies are cut off after about ${sizeOf(long)}`, long, limit);
  const stop = commonStart(starts.map(({ lost }) => lost)).replace(
    /(?<=\S)[^\S\n]+$|(?<![\p{L}\p{N}])[\p{L}\p{N}]+$/u,
    '',
  );
  const holders = copies.filter(({ sent }) => sent.copied?.includes(stop) === true);
  if (!areSeveral(starts) || stop.trim().length + stop.split('\n').length < 2) return null;
  if (holders.some(({ passed }) => passed)) return null;
  const shown = /^\n\n\s*$/.test(stop)
    ? 'an empty line'
    : /^\n\s*$/.test(stop)
      ? 'a line break'
      : `"${short(stop)}"`;
  return say(
    `Replies stop before ${shown}`,
    starts,
    'Look at the stop sequences of the model call, and at code that splits replies.',
  );
}

function partOf(seen: Observation, kept: 'start' | 'end'): readonly Part[] {
  const copied = seen.sent.copied ?? '';
  const text = (seen.reply ?? '').trim();
  if (text === '' || text.length >= copied.length) return [];
  const isPart = kept === 'end' ? copied.endsWith(text) : copied.startsWith(text);
  const lost = kept === 'end' ? copied.slice(0, -text.length) : copied.slice(text.length);
  return isPart ? [{ ...seen, text, lost }] : [];
}

/** In the unit in which they are alike. */
function sizeOf(those: readonly Part[]): string {
  const characters = those.map(({ text }) => text.length);
  const words = those.map(({ text }) => text.split(/\s+/).length);
  if (spread(characters) > 2 && spread(words) <= 1) return `${thousands(Math.max(...words))} words`;
  return `${tens(Math.max(...characters))} characters`;
}

function spread(numbers: readonly number[]): number {
  return Math.max(...numbers) - Math.min(...numbers);
}
