/** What failed replies have in common: the same length, the same beginning, the same end. */
import { fewestCases, idsOf, type Observation, type Rule } from '../observation.ts';
import { short } from './same-reply.ts';
import { thousands } from './no-reply.ts';

const shortestCut = 200;
const shortestAdded = 4;

interface Text {
  readonly seen: Observation;
  readonly text: string;
}

export const shape: Rule = (seen) => {
  const texts = seen.flatMap((one) => (one.reply === null ? [] : [{ seen: one, text: one.reply.trim() }]));
  const failed = texts.filter((one) => !one.seen.passed);
  return cutReplies(texts, failed) ?? addedText(failed);
};

/** The longest replies have one length, and none is longer. */
function cutReplies(texts: readonly Text[], failed: readonly Text[]): ReturnType<Rule> {
  const longest = Math.max(0, ...texts.map(({ text }) => text.length));
  // Cutting may leave a space at the end, which is trimmed.
  const those = failed.filter(({ text }) => text.length >= longest - 2);
  if (
    longest < shortestCut ||
    those.length < fewestCases ||
    texts.some((one) => one.seen.passed && one.text.length >= longest - 2)
  )
    return null;
  return {
    sentence: `Replies are cut off after about ${thousands(Math.round(longest / 10) * 10)} characters.`,
    look_at: 'Look at the token limit of a reply, and at columns or buffers of a fixed size.',
    cases: idsOf(those.map((one) => one.seen)),
    certainty: 'certain',
  };
}

/** The text that was to be copied is there, with the same words around it in every case. */
function addedText(failed: readonly Text[]): ReturnType<Rule> {
  const around = failed.flatMap(({ seen, text }) => {
    const copied = seen.sent.copied ?? '';
    const at = copied === '' ? -1 : text.indexOf(copied);
    return at < 0
      ? []
      : [{ seen, before: text.slice(0, at).trim(), after: text.slice(at + copied.length).trim() }];
  });
  if (around.length < fewestCases) return null;
  const [prefix, suffix] = [
    commonStart(around.map(({ before }) => before)),
    commonEnd(around.map(({ after }) => after)),
  ];
  const quoted = [prefix, suffix].filter((text) => text.length >= shortestAdded);
  const example = quoted.length === 0 ? '' : `: ${quoted.map((text) => `"${short(text)}"`).join(' and ')}`;
  return {
    sentence: `Text is added around the answer${example}.`,
    look_at: 'Look at the system prompt, and at code that adds a greeting, a source or a notice.',
    cases: idsOf(around.map(({ seen }) => seen)),
    certainty: 'certain',
  };
}

function commonStart(texts: readonly string[]): string {
  const [first = ''] = texts;
  let length = 0;
  while (length < first.length && texts.every((text) => text[length] === first[length])) length += 1;
  return first.slice(0, length);
}

function commonEnd(texts: readonly string[]): string {
  const turned = texts.map((text) => Array.from(text).toReversed().join(''));
  return Array.from(commonStart(turned)).toReversed().join('');
}
