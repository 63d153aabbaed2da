/** Fields of JSON that are missing or have another value in several replies. */
import { failedOf, fewestCases, idsOf, type Observation, type Rule } from '../observation.ts';
import { short } from './same-reply.ts';

interface Changed {
  readonly seen: Observation;
  readonly field: string;
  readonly before: string;
  /** Undefined where the field is missing. */
  readonly after: string | undefined;
}

export const changedFields: Rule = (seen) => {
  const asked = seen.filter(({ sent, reply }) => sent.record !== undefined && reply !== null);
  return noJson(failedOf(asked)) ?? renamed(failedOf(asked)) ?? changedField(asked);
};

function noJson(failed: readonly Observation[]): ReturnType<Rule> {
  const those = failed.filter(({ reply }) => objectIn(reply ?? '') === null);
  if (those.length < fewestCases) return null;
  return {
    sentence: `Replies that should be a JSON object are not: "${short(those[0]?.reply ?? '')}".`,
    look_at: "Return the model's text as it is, and look for code that formats, cuts or converts JSON.",
    cases: idsOf(those),
    certainty: 'certain',
  };
}

function plain(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}]/gu, '').toLowerCase();
}

/** Fields that are there under another name. */
function renamed(failed: readonly Observation[]): ReturnType<Rule> {
  const those = failed.flatMap((one) => {
    const keys = Object.keys(objectIn(one.reply ?? '') ?? {});
    const field = Object.keys(one.sent.record ?? {}).find((name) => !keys.includes(name));
    const other = keys.find((key) => field !== undefined && plain(key) === plain(field));
    return field === undefined || other === undefined ? [] : [{ one, before: field, after: other }];
  });
  const [example] = those;
  if (example === undefined || those.length < fewestCases) return null;
  const { before, after } = example;
  return {
    sentence: `JSON keys are renamed: \`${before}\` comes back as \`${after}\`.`,
    look_at: 'Look for code that renames keys, for example to camel case.',
    cases: idsOf(those.map(({ one }) => one)),
    change: { before, after },
    certainty: 'certain',
  };
}

function changedField(asked: readonly Observation[]): ReturnType<Rule> {
  const changed = failedOf(asked).flatMap(changesOf);
  const [worst] = [...Map.groupBy(changed, ({ field }) => field)].toSorted(
    ([, one], [, other]) => other.length - one.length,
  );
  const [example] = worst?.[1] ?? [];
  if (worst === undefined || example === undefined || worst[1].length < fewestCases) return null;
  const [field, those] = worst;
  const isMissing = those.every(({ after }) => after === undefined);
  return {
    sentence: `In JSON replies, \`${field}\` is ${isMissing ? 'missing' : 'changed'} (${those.length} of ${asked.length} replies).`,
    look_at: "Look for code that parses the model's JSON and writes it again.",
    cases: idsOf(those.map((one) => one.seen)),
    change: { before: short(example.before), after: short(example.after ?? 'nothing') },
    certainty: 'certain',
  };
}

function changesOf(seen: Observation): readonly Changed[] {
  const found = objectIn(seen.reply ?? '');
  if (found === null) return [];
  return Object.entries(seen.sent.record ?? {}).flatMap(([field, value]) => {
    const [before, after] = [JSON.stringify(value), JSON.stringify(found[field])];
    return before === after ? [] : [{ seen, field, before, after }];
  });
}

function objectIn(reply: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(reply.trim().replace(/^```\w*\n([^]*)\n```$/, '$1'));
    // An object that was parsed from JSON has strings as keys.
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
