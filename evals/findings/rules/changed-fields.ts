/** Fields of JSON that are missing or have another value in several replies. */
import type { Observation } from '../observation.ts';
import { areSeveral, failedOf, type Found, found, mostAlike, type Rule, short } from '../rule.ts';
import { jsonOfReply } from '../undo.ts';

export const changedFields: Rule = (seen) => {
  const asked = seen.filter(({ sent, reply }) => sent.record !== undefined && reply !== null);
  return noJson(failedOf(asked)) ?? renamed(failedOf(asked)) ?? changedField(asked);
};

function noJson(failed: readonly Observation[]): Found {
  const those = failed.filter(({ reply }) => objectIn(reply) === null);
  if (!areSeveral(those)) return null;
  return found(
    those,
    `Replies that should be a JSON object are not: "${short(those[0]?.reply ?? '')}".`,
    "Return the model's text as it is, and look for code that formats, cuts or converts JSON.",
  );
}

function plain(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}]/gu, '').toLowerCase();
}

/** Fields that are there under another name. */
function renamed(failed: readonly Observation[]): Found {
  const those = failed.flatMap((one) => {
    const keys = Object.keys(objectIn(one.reply) ?? {});
    const before = Object.keys(one.sent.record ?? {}).find((name) => !keys.includes(name));
    const after = keys.find((key) => before !== undefined && plain(key) === plain(before));
    return before === undefined || after === undefined ? [] : [{ ...one, before, after }];
  });
  const [example] = those;
  if (example === undefined || !areSeveral(those)) return null;
  const { before, after } = example;
  return found(
    those,
    `JSON keys are renamed: \`${before}\` comes back as \`${after}\`.`,
    'Look for code that renames keys, for example to camel case.',
    { change: { before, after } },
  );
}

function changedField(asked: readonly Observation[]): Found {
  const changed = failedOf(asked).flatMap((one) => {
    const reply = objectIn(one.reply);
    return Object.entries(reply === null ? {} : (one.sent.record ?? {})).flatMap(([field, value]) => {
      // Undefined where the field is missing.
      const [before, after] = [JSON.stringify(value), JSON.stringify(reply?.[field])];
      return before === after ? [] : [{ ...one, field, before, after }];
    });
  });
  const those = mostAlike(changed, ({ field }) => field);
  const [example] = those;
  if (example === undefined || !areSeveral(those)) return null;
  const { field, before, after } = example;
  const isMissing = those.every((one) => one.after === undefined);
  return found(
    those,
    `In JSON replies, \`${field}\` is ${isMissing ? 'missing' : 'changed'} (${those.length} of ${asked.length} replies).`,
    "Look for code that parses the model's JSON and writes it again.",
    { change: { before: short(before), after: short(after ?? 'nothing') } },
  );
}

function objectIn(reply: string | null): Readonly<Record<string, unknown>> | null {
  const value = jsonOfReply(reply ?? '');
  // An object that was parsed from JSON has strings as keys.
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
}
