/** Texts that come back with something before or after them. */
import { failedOf, fewestCases, idsOf, type Rule } from '../observation.ts';
import { short } from './same-reply.ts';

const shortestAdded = 3;

/** The text that was to be copied is there, with the same words around it in every case. */
export const addedText: Rule = (seen) => {
  const failed = failedOf(seen).flatMap((one) =>
    one.reply === null ? [] : [{ seen: one, text: one.reply.trim() }],
  );
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
  // What stands around copies stands around other replies, too.
  const inside = failed.filter(({ text }) => text.startsWith(prefix) && text.endsWith(suffix));
  const example = quoted.length === 0 ? '' : `: ${quoted.map((text) => `"${short(text)}"`).join(' and ')}`;
  return {
    sentence: `Text is added around the answer${example}.`,
    look_at: 'Look at the system prompt, and at code that adds a greeting, a source or a notice.',
    cases: idsOf(quoted.length === 0 ? around.map((one) => one.seen) : inside.map((one) => one.seen)),
    certainty: 'certain',
  };
};

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
