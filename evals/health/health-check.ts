/**
 * The health check: about 80 short calls in the order in which faults hide each other. Where prompts do not arrive,
 * nothing that needs them is blamed on the model.
 */
import { createRandom } from '../suite/random.ts';
import { atOnce } from './delivery/at-once.ts';
import { copy } from './delivery/copy.ts';
import { json, list, long } from './delivery/forms.ts';
import { type AskedLength, lengthCase, lengthCount, nextLength } from './delivery/length.ts';
import { lines } from './delivery/lines.ts';
import { turns } from './delivery/turns.ts';
import { word } from './delivery/word.ts';
import { conduct } from './conduct/conduct.ts';
import { casesOf, type HealthCase, type Topic } from './health-case.ts';
import { extraction, farApart, form, rules } from './work/work.ts';

const before: readonly Topic[] = [word, copy];
const after: readonly Topic[] = [
  lines,
  turns,
  atOnce,
  json,
  list,
  long,
  conduct,
  rules,
  extraction,
  form,
  farApart,
];

export interface HealthCheck {
  readonly seed: string;
  readonly maxPromptTokens: number;
}

/** What has come of the cases asked so far, in order. */
export type Outcomes = readonly { readonly id: string; readonly passed: boolean }[];

/**
 * The cases that can be asked now: those asked already and the next ones. The prompts of growing length depend on each
 * other, so they are asked one by one; everything after them follows at once.
 *
 * @returns the same cases for the same seed and outcomes
 */
export function planHealthCheck(
  { seed, maxPromptTokens }: HealthCheck,
  outcomes: Outcomes,
): readonly HealthCase[] {
  const random = (label: string) => createRandom(seed, `health/${label}`);
  const planned = before.flatMap((topic) => casesOf(topic, random(topic.name)));
  const asked = new Map(outcomes.map((outcome) => [outcome.id, outcome]));
  if (planned.some(({ id }) => !asked.has(id))) return planned;
  const lengths: AskedLength[] = [];
  while (lengths.length < lengthCount(maxPromptTokens)) {
    const number = lengths.length + 1;
    const length = nextLength(maxPromptTokens, lengths);
    const next = lengthCase(random(`length-${number}`), length, number);
    planned.push(next);
    const outcome = asked.get(next.id);
    if (outcome === undefined) return planned;
    lengths.push({ length, passed: outcome.passed });
  }
  return [...planned, ...after.flatMap((topic) => casesOf(topic, random(topic.name)))];
}

/** The number of cases of a whole check. */
export function healthCheckSize(check: HealthCheck): number {
  const fixed = [...before, ...after].flatMap((topic) =>
    casesOf(topic, createRandom(check.seed, topic.name)),
  );
  return fixed.length + lengthCount(check.maxPromptTokens);
}
