/** Replies that are only the beginning or the end of the text that the agent was to copy. */
import { failedOf, fewestCases, idsOf, type Observation, type Rule } from '../observation.ts';
import { short } from './same-reply.ts';
import { thousands } from './no-reply.ts';

interface Part {
  readonly seen: Observation;
  readonly text: string;
  readonly lost: string;
}

const fewestEnds = 3;
const longestEnd = 40;
const shortestCut = 200;
const stream = 'Look at how the chunks of a stream are put together: the first or the last one is dropped.';
const limit = 'Look at the token limit of a reply, and at columns or buffers of a fixed size.';

export const cutReplies: Rule = (seen) => openReasoning(seen) ?? cutCopies(seen) ?? oneLength(seen);

/** The reply ends before the reasoning does. */
function openReasoning(seen: readonly Observation[]): ReturnType<Rule> {
  const those = failedOf(seen).filter(({ reply }) =>
    /^\s*<(think|thinking|reasoning|analysis)>(?![^]*<\/\1>)/i.test(reply ?? ''),
  );
  if (those.length < fewestCases) return null;
  return {
    sentence: "Replies are cut off inside the model's reasoning, before any answer.",
    look_at: 'Raise the token limit of a reply, or let the model reason less.',
    cases: idsOf(those),
    certainty: 'certain',
  };
}

function lengthOf({ reply }: Observation): number {
  return reply?.trim().length ?? 0;
}

/** The longest replies have one length, and none is longer. */
function oneLength(seen: readonly Observation[]): ReturnType<Rule> {
  const longest = Math.max(0, ...seen.map(lengthOf));
  // Cutting may leave a space at the end, which is trimmed.
  const those = seen.filter((one) => lengthOf(one) >= longest - 2);
  if (longest < shortestCut || those.length < fewestCases || those.some(({ passed }) => passed)) return null;
  return {
    sentence: `Replies are cut off after about ${thousands(Math.round(longest / 10) * 10)} characters.`,
    look_at: limit,
    cases: idsOf(those),
    certainty: 'certain',
  };
}

function cutCopies(seen: readonly Observation[]): ReturnType<Rule> {
  const copies = seen.filter(({ sent, reply }) => sent.copied !== undefined && reply !== null);
  const failed = failedOf(copies);
  /** A fault of most copies is one of all replies. */
  const casesOf = (those: readonly Part[]) =>
    idsOf(
      those.length >= 0.7 * copies.length
        ? failedOf(seen).filter(({ reply }) => reply !== null)
        : those.map((one) => one.seen),
    );
  const ends = failed.flatMap((one) => partOf(one, 'end'));
  if (ends.length >= fewestEnds && ends.length >= copies.length / 2) {
    return {
      ...found('The first characters of replies are lost', ends),
      look_at: stream,
      cases: casesOf(ends),
    };
  }
  const starts = failed.flatMap((one) => partOf(one, 'start'));
  const shortLost = starts.filter(({ lost }) => lost.length <= longestEnd);
  if (
    shortLost.length >= fewestEnds &&
    shortLost.length >= copies.length / 2 &&
    spread(shortLost.map(({ lost }) => lost.length)) <= 2
  ) {
    return {
      ...found('The last characters of replies are lost', shortLost),
      look_at: stream,
      cases: casesOf(shortLost),
    };
  }
  const long = starts.filter(({ text }) => text.length >= shortestCut);
  if (long.length >= fewestCases) {
    return {
      ...found(`Replies are cut off after about ${sizeOf(long)}`, long),
      look_at: limit,
      cases: casesOf(long),
    };
  }
  const stop = commonStart(starts.map(({ lost }) => lost)).replace(
    /(?<=\S)[^\S\n]+$|(?<![\p{L}\p{N}])[\p{L}\p{N}]+$/u,
    '',
  );
  const holders = copies.filter(({ sent }) => sent.copied?.includes(stop) === true);
  if (starts.length < fewestCases || stop.trim().length + stop.split('\n').length < 2) return null;
  if (holders.some(({ passed }) => passed)) return null;
  const shown = /^\n\n\s*$/.test(stop)
    ? 'an empty line'
    : /^\n\s*$/.test(stop)
      ? 'a line break'
      : `"${short(stop)}"`;
  return {
    ...found(`Replies stop before ${shown}`, starts),
    look_at: 'Look at the stop sequences of the model call, and at code that splits replies.',
    cases: casesOf(starts),
  };
}

function found(sentence: string, those: readonly Part[]) {
  const [example] = those.toSorted((one, other) => one.text.length - other.text.length);
  return {
    sentence: `${sentence}.`,
    change: { before: short(example?.seen.sent.copied ?? ''), after: short(example?.text ?? '') },
    certainty: 'certain',
  } as const;
}

function partOf(seen: Observation, kept: 'start' | 'end'): readonly Part[] {
  const copied = seen.sent.copied ?? '';
  const text = (seen.reply ?? '').trim();
  if (text === '' || text.length >= copied.length) return [];
  if (kept === 'end')
    return copied.endsWith(text) ? [{ seen, text, lost: copied.slice(0, -text.length) }] : [];
  return copied.startsWith(text) ? [{ seen, text, lost: copied.slice(text.length) }] : [];
}

/** In the unit in which they are alike. */
function sizeOf(those: readonly Part[]): string {
  const characters = those.map(({ text }) => text.length);
  const words = those.map(({ text }) => text.split(/\s+/).length);
  if (spread(characters) > 2 && spread(words) <= 1) return `${thousands(Math.max(...words))} words`;
  return `${thousands(Math.round(Math.max(...characters) / 10) * 10)} characters`;
}

function spread(numbers: readonly number[]): number {
  return Math.max(...numbers) - Math.min(...numbers);
}

function commonStart(texts: readonly string[]): string {
  const [first = ''] = texts;
  let length = 0;
  while (length < first.length && texts.every((text) => text[length] === first[length])) length += 1;
  return first.slice(0, length);
}
