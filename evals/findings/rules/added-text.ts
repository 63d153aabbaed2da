/** Texts that come back with something before or after them. */
import { areSeveral, commonEnd, commonStart, failedOf, found, type Rule, short } from '../rule.ts';

const shortestAdded = 3;

/** The text that was to be copied is there, with the same words around it in every case. */
export const addedText: Rule = (seen) => {
  const failed = failedOf(seen).flatMap((one) =>
    one.reply === null ? [] : [{ ...one, text: one.reply.trim() }],
  );
  const around = failed.flatMap((one) => {
    const copied = one.sent.copied ?? '';
    const at = copied === '' ? -1 : one.text.indexOf(copied);
    const [before, after] = [one.text.slice(0, at).trim(), one.text.slice(at + copied.length).trim()];
    return at < 0 ? [] : [{ ...one, before, after }];
  });
  if (!areSeveral(around)) return null;
  const prefix = commonStart(around.map(({ before }) => before));
  const suffix = commonEnd(around.map(({ after }) => after));
  const quoted = [prefix, suffix].filter((text) => text.length >= shortestAdded);
  // What stands around copies stands around other replies, too.
  const inside = failed.filter(({ text }) => text.startsWith(prefix) && text.endsWith(suffix));
  const example = quoted.length === 0 ? '' : `: ${quoted.map((text) => `"${short(text)}"`).join(' and ')}`;
  return found(
    quoted.length === 0 ? around : inside,
    `Text is added around the answer${example}.`,
    'Look at the system prompt, and at code that adds a greeting, a source or a notice.',
  );
};
