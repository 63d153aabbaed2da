/** The bars of a run, decided on exact counts, and how far a comparison reaches. */
import type { Fixed } from '#runtime/json-reader.ts';
import { type Static, Type } from 'typebox';
import {
  type Fraction,
  fractionOf,
  hundredfold,
  isAtLeast,
  numberOf,
  percentText,
  roundRate,
} from '../rates.ts';
import { someOf } from '../safe-text.ts';
import type { MetricChange } from '../own-suite/metrics.ts';
import { type Summary, titled } from './summary.ts';
import type { VerdictSources } from './verdict-notes.ts';

export interface BarsAsked {
  /** From 0 to 1. */
  readonly minPass?: number | undefined;
  /** From 0 to 100. */
  readonly minScore?: number | undefined;
  readonly failOn?: 'broken' | 'worse' | undefined;
  /** The least share of the cases that the comparison must reach. */
  readonly minCompared?: number | undefined;
}

export interface Bar {
  readonly bar: 'min_pass' | 'min_score' | 'fail_on' | 'min_compared';
  /** As it was asked, such as `0.9`. */
  readonly required: string;
  readonly held: boolean;
  readonly explanation: string;
}

const caseCount = (description?: string) =>
  Type.Integer({ minimum: 0, ...(description === undefined ? {} : { description }) });

/** Which cases of a run a comparison reaches. */
export const Reach = Type.Object({
  sample: Type.Enum(['same cases', 'same kinds'], {
    type: 'string',
    description: '`same kinds`: each run has cases of the same kinds with other words.',
  }),
  compared: caseCount(),
  cases: caseCount('Of the later run, and those that are `gone`.'),
  changed: Type.Array(Type.String(), { description: 'Those with other content under the same id.' }),
  added: caseCount('Those that are not in the earlier run, perhaps under another id.'),
  unasked: caseCount('Those in the version of the earlier run, which asked only some of its cases.'),
  ungraded: caseCount('Those without a verdict in the earlier run.'),
  gone: Type.Array(Type.String(), {
    description:
      'Those of the earlier run whose ids the later version of the suite no longer has, or that the same `only` or `limit` no longer chooses.',
  }),
});
export type Reach = Fixed<Static<typeof Reach>>;

/** `not comparable`: the runs share no case that has a verdict in the earlier one. */
export const changeVerdicts = ['better', 'worse', 'no clear change', 'not comparable'] as const;
export type ChangeVerdict = (typeof changeVerdicts)[number];

/** How an earlier run was found. */
export interface ChosenBaseline {
  /** Null if it was named by its id, or is simply the latest. */
  readonly label: string | null;
  /** The number of cases that are compared with other earlier runs, in which they last passed or had a verdict. */
  readonly others: number;
}

export interface Change {
  /** The id of the earlier run. */
  readonly baseline: string;
  readonly chosen: ChosenBaseline;
  readonly verdict: ChangeVerdict;
  readonly p: number;
  readonly reach: Reach;
  readonly broken: readonly string[];
  readonly fixed: readonly string[];
  readonly flakyNow: readonly string[];
  readonly metrics: Readonly<Record<string, MetricChange>>;
  /** Of the earlier run. */
  readonly sources: VerdictSources;
}

export interface Measured {
  /** From 0 to 1. */
  readonly passRate: Fraction;
  /** Null if there is no run to compare with. */
  readonly change: Change | null;
  /** As it was asked. */
  readonly baseline: string | null;
  /** Some labels that runs of the suite have, if no earlier run has that of the baseline. */
  readonly otherLabels?: readonly string[] | null;
  /** Of cases, by id. */
  readonly titles?: ReadonlyMap<string, string>;
}

/** Fewer, and most of what could have broken was not looked at. */
export const minComparedDefault = 0.5;
const namedMax = 20;
const idsNamedMax = 5;

export function measureBars(asked: BarsAsked, measured: Measured): readonly Bar[] {
  const { minPass, minScore, failOn, minCompared = minComparedDefault } = asked;
  const { passRate, change } = measured;
  const bars: Bar[] = [];
  if (minPass !== undefined) bars.push(atLeast('min_pass', 'pass rate', passRate, minPass, 3, 1));
  if (minScore !== undefined)
    bars.push(atLeast('min_score', 'score', hundredfold(passRate), minScore, 1, 100));
  if (failOn === undefined) return bars;
  bars.push({ bar: 'fail_on', required: failOn, ...compared(failOn, measured) });
  if (change !== null) {
    const { compared: reached, cases } = change.reach;
    const required = fractionOf(minCompared);
    const held = BigInt(reached) * required.denominator >= BigInt(cases) * required.numerator;
    const tooFewCompared = `; at least ${percentText(minCompared, 0)} must be comparable. If the suite was meant to change, add --min-compared 0 once`;
    const explanation = `${reachText(change.reach)}${held ? '' : tooFewCompared}`;
    bars.push({ bar: 'min_compared', required: String(minCompared), held, explanation });
  }
  return bars;
}

const digitsMax = 12;

function atLeast(
  bar: Bar['bar'],
  what: string,
  value: Fraction,
  required: number,
  digits: number,
  most: number,
): Bar {
  const held = isAtLeast(value, fractionOf(required));
  const number = numberOf(value);
  // As many digits as show why it fell short.
  let shown = digits;
  const looksHeld = (): boolean => roundRate(number, shown, most) >= required;
  if (!held) while (shown < digitsMax && looksHeld()) shown += 1;
  const text = roundRate(number, shown, most).toFixed(shown);
  return {
    bar,
    required: String(required),
    held,
    explanation: `the ${what} is ${text}, at least ${required} is required`,
  };
}

function compared(failOn: 'broken' | 'worse', { change, baseline, otherLabels = null, titles }: Measured) {
  if (change === null) {
    const none = `there is no earlier run for the baseline ${baseline}`;
    return { held: true, explanation: otherLabels === null ? none : `${none}. ${labelAdvice(otherLabels)}` };
  }
  const { verdict, broken } = change;
  if (verdict === 'not comparable') return { held: true, explanation: 'no case can be compared' };
  if (failOn === 'worse') {
    if (verdict !== 'worse' && broken.length > 0 && change.reach.compared < worseCasesMin)
      return { held: false, explanation: `${brokenText(broken, titles)}; ${tooFew}` };
    const what = verdict === 'no clear change' ? verdict : `the run is ${verdict}`;
    const others = broken.length === 0 ? '' : `; for --fail-on broken, ${brokenText(broken, titles)}`;
    return { held: verdict !== 'worse', explanation: `${what} (p = ${change.p.toFixed(3)})${others}` };
  }
  if (broken.length === 0) return { held: true, explanation: 'no compared case broke' };
  return { held: false, explanation: brokenText(broken, titles) };
}

function brokenText(broken: readonly string[], titles: Measured['titles']): string {
  const cases = broken.length === 1 ? '1 case broke' : `${broken.length} cases broke`;
  const named = broken.map((id) => titled({ id, title: titles?.get(id) }));
  return `${cases}: ${someOf(named, namedMax)}`;
}

/** Of fewer than five cases with one trial each, all may break by chance; of ten, half. */
const worseCasesMin = 10;
const tooFew = `with fewer than ${worseCasesMin} compared cases, chance may hide that the run is worse, so use --fail-on broken`;

function labelAdvice(others: readonly string[]): string {
  const add = 'Add --label to runs of that branch';
  return others.length === 0
    ? add
    : `${add}, or compare with one of the labels that runs have: ${others.join(', ')}`;
}

/** "compared 3 of 40 cases; 37 are new or changed", or "none of 40 cases can be compared; 40 are new or changed" */
export function reachText(
  { sample, compared: reached, cases, changed, added, unasked, ungraded, gone }: Reach,
  show: (id: string) => string = (id) => id,
): string {
  const other = changed.length + added;
  const named = changed.length === 0 ? '' : ` (changed: ${idsText(changed, show)})`;
  const parts = [
    reached === 0
      ? `none of ${cases} case${cases === 1 ? '' : 's'} can be compared`
      : `compared ${reached} of ${cases} case${cases === 1 ? '' : 's'}`,
    ...(sample === 'same cases' ? [] : ['they are two samples: the cases have other words in each run']),
    ...(other === 0 ? [] : [`${other} ${other === 1 ? 'is' : 'are'} new or changed${named}`]),
    ...(unasked === 0 ? [] : [`${unasked} ${unasked === 1 ? 'was' : 'were'} not asked in the earlier run`]),
    ...(ungraded === 0
      ? []
      : [`${ungraded} ${ungraded === 1 ? 'has' : 'have'} no verdict in the earlier run`]),
    ...(gone.length === 0
      ? []
      : [
          `${gone.length} of the earlier run ${gone.length === 1 ? 'is' : 'are'} gone: ${idsText(gone, show)}`,
        ]),
  ];
  return parts.join('; ');
}

/** "a, b, c, d, e and 3 more" */
export function idsText(ids: readonly string[], show: (id: string) => string = (id) => id): string {
  return someOf(ids.map(show), idsNamedMax);
}

export type Outcome = 'held' | 'fell_short' | 'not_possible';

/**
 * A run in which nothing replied, or every reply was empty, says nothing about the agent. Cases without an answer count
 * as failed in every bar; without a bar that measures it, a run that ended before them decides nothing.
 *
 * @param unanswered trials that the run ended before
 */
export function outcomeOf(
  bars: readonly Bar[],
  { trials, errors, emptyReplies }: Pick<Summary, 'trials' | 'errors' | 'emptyReplies'>,
  unanswered: number,
): Outcome {
  // With an earlier run, `min_compared` stands beside `fail_on`.
  const isMeasured = bars.some(({ bar }) => bar !== 'fail_on');
  if (trials === errors + emptyReplies || (unanswered > 0 && !isMeasured)) return 'not_possible';
  return bars.every(({ held }) => held) ? 'held' : 'fell_short';
}
