/** Calls without a reply: all of them, those at once, or those from some length on. */
import { chanceMax, chanceOfSplit } from '../chance.ts';
import { fewestCases, idsOf, type Observation, type Rule } from '../observation.ts';
import { cleanSplit } from '../splits.ts';

const fewestInARow = 5;

export const noReply: Rule = (seen) => {
  const failed = seen.filter(({ error }) => error !== null);
  const [largest] = [...Map.groupBy(failed, nameOf)].toSorted(
    ([, one], [, other]) => other.length - one.length,
  );
  if (largest === undefined || largest[1].length < fewestCases) return null;
  const [name, those] = largest;
  const others = seen.filter((one) => !those.includes(one));
  const found = { cases: idsOf(those), certainty: 'certain' } as const;
  if (others.length === 0) {
    return { ...found, sentence: `No call gets a reply: ${name}.`, look_at: lookAtError(name) };
  }
  if (isSplit(those, others, ({ sent }) => sent.atOnce)) {
    return {
      ...found,
      sentence: `Calls made at once get no reply (${name}), while calls in a row do.`,
      look_at: 'Look for a rate limit, or a server that handles one call at a time.',
    };
  }
  const split = cleanSplit(those, others);
  if (split !== null) {
    const isLength = split.includes('more than');
    const look_at = isLength ? 'Look at the limits on body size, context and time.' : lookAtError(name);
    return { ...found, sentence: `${split} get no reply: ${name}.`, look_at };
  }
  const first = seen.findIndex((one) => those.includes(one));
  if (those.length >= fewestInARow && seen.slice(first).every((one) => those.includes(one))) {
    return {
      ...found,
      sentence: `After ${first} calls, no further call gets a reply: ${name}.`,
      look_at: 'Look for a quota, a session that grows with each call, or a process that has ended.',
    };
  }
  return {
    ...found,
    sentence: `${those.length} of ${seen.length} calls get no reply: ${name}.`,
    look_at: lookAtError(name),
  };
};

function nameOf({ error }: Observation): string {
  if (error === null) return '';
  return error.status === null ? error.code : `status ${error.status}`;
}

function lookAtError(name: string): string {
  return /status (?:401|403)/.test(name)
    ? 'Look at the key that the target expects.'
    : 'Look at the log of the target for these calls.';
}

/** Whether `chosen` tells the calls with errors from the others, beyond chance. */
function isSplit(
  those: readonly Observation[],
  others: readonly Observation[],
  chosen: (one: Observation) => boolean,
): boolean {
  const inside = those.filter(chosen).length;
  const around = others.filter(chosen).length;
  const first = { failed: inside, total: inside + around };
  const second = { failed: those.length - inside, total: those.length - inside + others.length - around };
  return inside >= fewestCases && inside > 0.8 * those.length && chanceOfSplit(first, second) < chanceMax;
}

export function thousands(count: number): string {
  return count.toLocaleString('en-US');
}
