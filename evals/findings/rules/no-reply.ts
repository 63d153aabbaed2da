/** Calls without a reply: all of them, those at once, or those from some length on. */
import { unreadCallCode } from '#evals/stored-item.ts';
import { chanceMax, chanceOfSplit } from '../chance.ts';
import type { Observation } from '../observation.ts';
import { areSeveral, fewestCases, found, mostAlike, type Rule } from '../rule.ts';
import { cleanSplit } from '../splits.ts';

const fewestInARow = 5;

export const noReply: Rule = (seen) => {
  const those = mostAlike(
    // An unread call is a reply, with a rule of its own.
    seen.filter(({ error }) => error !== null && error.code !== unreadCallCode),
    nameOf,
  );
  const [one] = those;
  if (one === undefined || !areSeveral(those)) return null;
  const name = nameOf(one);
  const lookAtError = /status (?:401|403)/.test(name)
    ? 'Look at the key that the target expects.'
    : 'Look at the log of the target for these calls.';
  const others = seen.filter((other) => !those.includes(other));
  if (others.length === 0) return found(those, `No call gets a reply: ${name}.`, lookAtError);
  if (isSplit(those, others, ({ sent }) => sent.atOnce))
    return found(
      those,
      `Calls made at once get no reply (${name}), while calls in a row do.`,
      'Look for a rate limit, or a server that handles one call at a time.',
    );
  const split = cleanSplit(those, others);
  if (split !== null) {
    const isLength = split.includes('more than');
    const lookAt = isLength ? 'Look at the limits on body size, context and time.' : lookAtError;
    return found(those, `${split} get no reply: ${name}.`, lookAt);
  }
  const first = seen.indexOf(one);
  if (those.length >= fewestInARow && seen.slice(first).every((each) => those.includes(each)))
    return found(
      those,
      `After ${first} calls, no further call gets a reply: ${name}.`,
      'Look for a quota, a session that grows with each call, or a process that has ended.',
    );
  return found(those, `${those.length} of ${seen.length} calls get no reply: ${name}.`, lookAtError);
};

function nameOf({ error }: Observation): string {
  if (error === null) return '';
  return error.status === null ? error.code : `status ${error.status}`;
}

/** Whether `chosen` tells the calls with errors from the others, beyond chance. */
function isSplit(
  those: readonly Observation[],
  others: readonly Observation[],
  chosen: (one: Observation) => boolean,
): boolean {
  const all = [...those, ...others];
  const inside = those.filter(chosen).length;
  const chance = chanceOfSplit(
    all.filter(chosen),
    all.filter((one) => !chosen(one)),
    (one) => those.includes(one),
  );
  return inside >= fewestCases && inside > 0.8 * those.length && chance < chanceMax;
}
