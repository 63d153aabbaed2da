/** The scorecard of an eval run, made from its stored JSON and its cases. */
import { type ItemFault, whyNoReply } from '../../stored-item.ts';
import { categories } from '#evals/suite/index.ts';
import type { Item, ScorecardModel, Trial } from '../../scorecard/model.ts';
import { referencesOf } from '../../scorecard/reference-results.ts';
import { showSpan, showTime } from '../../scorecard/safe-text.ts';
import { ladderLevels } from '../ladder/ladder.ts';
import { shownPromptCharacters, storedReplyCharacters } from '../../limits.ts';
import { failureKindOf } from '../score-ladder.ts';
import type { StoredCase } from '../stored-case.ts';
import type { ScoreJson } from './score-json-schema.ts';

/** A stored case with what is regenerated from the seed. */
export interface ShownCase extends StoredCase {
  /** The first characters; null if the prompt must not be shown or cannot be regenerated. */
  readonly prompt: string | null;
  readonly prompt_truncated?: boolean;
  /** The result of a perfect reply. */
  readonly expected: string | null;
  /** A reply that earns the full score, or one for each turn; null where `expected` is. */
  readonly accepted: string | readonly string[] | null;
}

const descriptions = new Map(categories.map(({ name, description }) => [name, description]));

export function evalRunScorecard(card: ScoreJson, cases: readonly ShownCase[]): ScorecardModel {
  return {
    title: 'Eval run',
    id: card.job_id,
    finishedAt: new Date(card.finished_at),
    facts: factsOf(card),
    score: { value: card.score, interval: card.interval, level: card.level },
    figures: figuresOf(card),
    fixes: card.first_fixes.map(({ category, failure, points, cases: count, skills, indexes }) => ({
      title: `${category}: ${failure}`,
      points,
      skills,
      items: indexes.map(keyOf),
      count,
    })),
    groups: {
      title: 'Levels',
      unit: 'Category',
      columns: ladderLevels.map((level) => `L${level}`),
      rows: card.categories.map(({ name, score, cases: of, levels }) => ({
        name,
        about: descriptions.get(name) ?? '',
        share: { score, of },
        parts: ladderLevels.map((level) => {
          const at = levels.find((known) => known.level === level);
          return at === undefined ? null : { score: at.score, of: at.cases };
        }),
      })),
      note: 'The share of points earned at each level, from easy to hard, and the number of cases. A dash marks a level without cases in this run.',
    },
    references: referencesOf('eval-run', card.suite.version),
    latency: card.latency,
    unit: 'case',
    items: cases.map(itemOf),
    reading:
      'The score is the share of points that the agent would be expected to earn if all levels were asked equally often. The first cases cover every level; the others are asked where the agent begins to fail, which makes the estimate more precise without biasing it. The level is where about half of the points are lost. A case in error earns nothing. The interval contains the true score in 95 of 100 runs. Style never counts: an answer is found inside whatever surrounds it, and “right value, wrong wrapping” counts the cases in which that was not possible.',
    reproducing: `To reproduce the cases, run suite ${card.suite.name} version ${card.suite.version} with the seed \`${card.suite.seed}\`. The later cases also depend on the earlier verdicts.`,
  };
}

function factsOf({ suite, target_url: target, concurrency, started_at, finished_at }: ScoreJson) {
  const calls = concurrency === null ? '' : `, ${concurrency} calls at once`;
  return [
    {
      name: 'Target',
      value: target === null ? 'none: the agent fetched its cases' : `${target}${calls}`,
      isPrivate: true,
    } as const,
    { name: 'Suite', value: `${suite.name}, version ${suite.version}` },
    { name: 'Seed', value: suite.seed, isPrivate: true } as const,
    { name: 'Time', value: showSpan(new Date(started_at), new Date(finished_at)) },
  ];
}

function figuresOf(card: ScoreJson) {
  const { latency, form, solo_latency_ms: solo, repeat, usage, cost } = card;
  return [
    {
      name: 'Passed',
      value: `${card.passed} of ${card.cases}`,
      caption: `with the full score; ${card.failed} failed`,
    },
    ...(repeat === null
      ? []
      : [
          {
            name: `Passed all ${repeat.k} times`,
            value: `${(100 * repeat.pass_k).toFixed(1)}%`,
            caption: `of the cases; ${repeat.flaky.length} passed only some times`,
          },
        ]),
    {
      name: 'Right value, wrong wrapping',
      value: String(card.wrong_wrapping),
      caption:
        form.asked === 0
          ? 'counted apart from wrong answers'
          : `format kept in ${form.kept} of ${form.asked} cases that ask for one`,
    },
    {
      name: 'In error',
      value: String(card.errors),
      caption:
        card.errors === 0 ? 'every case got a reply' : `${card.error_rate.toFixed(1)}% of cases, scored 0`,
    },
    latency === null
      ? { name: 'Median latency', value: '–', caption: 'no case got a reply' }
      : {
          name: 'Median latency',
          value: showTime(latency.p50_ms),
          caption: `p90 ${showTime(latency.p90_ms)}, longest ${showTime(latency.max_ms)}${solo === null ? '' : `, one at a time ${showTime(solo)}`}`,
        },
    ...(usage === null
      ? []
      : [
          {
            name: 'Tokens',
            value: (usage.input_tokens + usage.output_tokens).toLocaleString('en'),
            caption: `${cost.score_per_1000_tokens ?? 0} points for 1,000, as reported`,
          },
        ]),
  ];
}

function itemOf(one: ShownCase): Item {
  const {
    index,
    id,
    trial,
    category,
    kind,
    level,
    status,
    score,
    weight,
    attempts,
    latency_ms: latency,
  } = one;
  const failure = failureKindOf(one);
  return {
    key: keyOf(index),
    name: trial === undefined ? id : `${id}, trial ${trial}`,
    kind,
    group: category,
    level,
    status,
    earned: score * 100,
    facts: [
      `${weight.toFixed(1)} points`,
      ...(latency === null ? [] : [showTime(latency)]),
      ...(failure === 'wrong wrapping' ? ['right value, wrong wrapping'] : []),
      ...(attempts > 1 ? [`${attempts} attempts`] : []),
    ],
    why: whyMissed(one),
    prompt: {
      text: one.prompt,
      note:
        one.prompt === null
          ? 'The prompt is not shown.'
          : one.prompt_truncated === true
            ? `Only the first ${shownPromptCharacters} characters; the API returns the full prompt.`
            : null,
    },
    trials: [trialOf(one)],
    details: [],
  };
}

/** In an address, not by id, which is arbitrary text. */
function keyOf(index: number): string {
  return `case-${index}`;
}

/** The first failed check. */
function whyMissed(one: ShownCase): string | null {
  const { status, checks } = one;
  if (status === 'error') return `No reply: ${whyNoReply(one)}`;
  return checks.find(({ passed }) => !passed)?.message ?? null;
}

function trialOf({ checks, expected, found, status, latency_ms, ...one }: ShownCase): Trial {
  return {
    checks,
    result: expected === null || status === 'passed' ? null : { expected, found },
    faults: [],
    reply: replyOf(one),
    calls: [],
    latencyMs: latency_ms,
  };
}

function replyOf({
  response_text: text,
  attempts,
  ...fault
}: Pick<ShownCase, 'response_text' | 'attempts'> & ItemFault): Trial['reply'] {
  if (text === null) {
    return { text: null, note: `No reply after ${attempts} attempts: ${whyNoReply(fault)}` };
  }
  if (text === '') return { text: null, note: 'The reply was empty.' };
  const isCut = text.length >= storedReplyCharacters;
  return {
    text,
    note: isCut
      ? `Only the first ${storedReplyCharacters} characters are stored; the whole reply was graded.`
      : null,
  };
}
