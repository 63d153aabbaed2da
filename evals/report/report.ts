/** A run with its bars and its comparison, in the form that every report is written from. Its texts may be hostile. */
import type { ExportedItem, ExportedRun, TagShare } from '../export/run-export.ts';
import { durationOf } from '#runtime/duration-of.ts';
import { percentText, pointsText } from '../rates.ts';
import { type Bar, type Change, type ChosenBaseline, type Outcome, reachText } from './bars.ts';
import { type Summary, verdictOf } from './summary.ts';
import { sourcesText } from './verdict-notes.ts';

export interface Report {
  readonly run: ExportedRun;
  readonly summary: Summary;
  /** Null without a baseline, and if there is no such run. */
  readonly change: Change | null;
  readonly bars: readonly Bar[];
  readonly outcome: Outcome;
}

export interface Section {
  readonly title: string;
  count: number;
  /** The number of its items by their first tag. */
  readonly parts: Map<string, number>;
  /** The first ones. */
  readonly items: ExportedItem[];
}

const listedMax = 50;
/** For what was so before, listed below what has changed since the baseline. */
const listedBelowMax = 10;

interface Sectioning {
  /** Of each section. */
  readonly max?: number;
  readonly withPassed?: boolean;
}

/** What did not pass, and what was fixed: broken cases first. */
export async function sectionsOf(
  { run, change }: Report,
  { max = listedMax, withPassed = false }: Sectioning = {},
): Promise<readonly Section[]> {
  const names = [
    'Broken since the baseline',
    'Flaky since the baseline',
    'Without a reply',
    'Failing',
    'Flaky',
    'Without a verdict',
    'Fixed since the baseline',
    'Passed',
  ] as const;
  const sections = new Map<string, Section>(
    names.map((title) => [title, { title, count: 0, parts: new Map(), items: [] }]),
  );
  const broken = new Set(change?.broken);
  const flakyNow = new Set(change?.flakyNow);
  const fixed = new Set(change?.fixed);
  const hasChanged = broken.size + flakyNow.size > 0;
  const titleOf = (item: ExportedItem): (typeof names)[number] | null => {
    if (broken.has(item.id)) return 'Broken since the baseline';
    if (flakyNow.has(item.id)) return 'Flaky since the baseline';
    switch (verdictOf(item)) {
      case 'error':
        return item.trials.some(({ reply }) => reply !== null) ? 'Without a verdict' : 'Without a reply';
      case 'failed':
        return 'Failing';
      case 'flaky':
        return 'Flaky';
      case 'ungraded':
        return 'Without a verdict';
      case 'passed':
        return fixed.has(item.id) ? 'Fixed since the baseline' : withPassed ? 'Passed' : null;
    }
  };
  for await (const item of run.items()) {
    const title = titleOf(item);
    const section = title === null ? undefined : sections.get(title);
    if (section === undefined) continue;
    section.count += 1;
    section.parts.set(partOf(item), (section.parts.get(partOf(item)) ?? 0) + 1);
    const isBelow = hasChanged && !section.title.endsWith('the baseline') && section.title !== 'Passed';
    if (section.items.length < (isBelow ? listedBelowMax : max)) section.items.push(item);
  }
  return [...sections.values()].filter(({ count }) => count > 0);
}

/** The first tag of a case. */
export function partOf({ tags }: Pick<ExportedItem, 'tags'>): string {
  return tags[0] ?? 'no tag';
}

export function nameOf({ run: { suite } }: Report): string {
  return `${suite.name} version ${suite.version}`;
}

export function headline({ run, summary }: Report): string {
  const { value, low, high } = run.passRate;
  const { verdicts, items } = summary;
  const rate = `pass rate ${percentText(value)} (95% interval ${percentText(low)} to ${percentText(high)})`;
  const others = (['flaky', 'error', 'ungraded'] as const).flatMap((verdict) =>
    verdicts[verdict] === 0
      ? []
      : [`, ${verdicts[verdict]} ${verdict === 'error' ? `without a ${missingIn(run)}` : words[verdict]}`],
  );
  const unit = run.product === 'agent-run' ? 'tasks' : 'cases';
  return `${rate}, ${verdicts.passed} of ${items} ${unit} passed${others.join('')}`;
}

const words = { flaky: 'flaky', ungraded: 'without a verdict' } as const;

/** What trials in error lack. */
export function missingIn({ judgedCases }: Pick<ExportedRun, 'judgedCases'>): string {
  return judgedCases.length === 0 ? 'reply' : 'reply or verdict';
}

/** Whose run it is, when it ended and how long it took. */
export function factsText({ run }: Report): string {
  const { agent, createdAt, startedAt, finishedAt } = run;
  const at = finishedAt.toISOString().slice(0, 16).replace('T', ' ');
  return `@${agent}, ${at} UTC, took ${durationOf(finishedAt.getTime() - (startedAt ?? createdAt).getTime())}`;
}

/** What the score is, in a sentence. */
export function scoreText({ run: { score } }: Report): string {
  return `Score: ${pointsText(score)} of 100, the pass rate in percent.`;
}

/** The first tag of each case, in the order of the run, then the other tags. */
export function partRows({ run, summary }: Report): ExportedRun['tags'] {
  const first = summary.parts.flatMap((part) => run.tags.find(({ tag }) => tag === part) ?? []);
  return [...first, ...run.tags.filter((row) => !first.includes(row))];
}

/** The share that passed, and of how many cases. */
export function partCells(
  { value, cases, answered }: Omit<TagShare, 'tag'>,
  digits = 1,
): readonly [passed: string, cases: string] {
  if (answered === 0) return ['not asked', String(cases)];
  return [percentText(value, digits), answered < cases ? `${answered} of ${cases} answered` : String(cases)];
}

/** The metrics, the comparison, and what got no reply, as far as there are any: each a sentence without a full stop. */
export function notesOf(report: Report, show: (text: string) => string): readonly string[] {
  const notes = [metricsText(report), comparedText(report, show), errorsText(report, show)];
  return notes.filter((note) => note !== null);
}

/** How many trials got no reply or verdict and why; null if all did. */
function errorsText({ run, summary }: Report, show: (text: string) => string): string | null {
  const { errors, trials, reasons } = summary;
  if (errors === 0) return null;
  const named = reasons.slice(0, 3).map((one) => `${one.trials} × ${show(one.reason)}`);
  const more = reasons.length > named.length ? ', and others' : '';
  return `${errors} of ${trials} ${trials === 1 ? 'trial' : 'trials'} got no ${missingIn(run)}: ${named.join(', ')}${more}`;
}

function comparedText({ change }: Report, show: (text: string) => string): string | null {
  if (change === null) return null;
  const { baseline, chosen, verdict, p, reach, broken, fixed, sources } = change;
  const reached = `${reachText(reach, show)}${chosenText(chosen, show)}`;
  if (verdict === 'not comparable') return `Compared with run ${baseline}: ${reached}`;
  const others = sourcesText(sources);
  const moved = [
    broken.length === 0 ? '' : `, ${broken.length} broken`,
    fixed.length === 0 ? '' : `, ${fixed.length} fixed`,
  ].join('');
  return `Compared with run ${baseline}: ${verdict} (p = ${p.toFixed(3)})${moved}; ${reached}${others === null ? '' : `. Of the earlier run, ${others}`}`;
}

/** Why a run is `not_possible`, as a sentence without a full stop. */
export function whyNot({ run, summary: { trials, errors, emptyReplies } }: Report): string {
  const nothing = 'so the run says nothing about the agent';
  if (trials === errors) return `no trial got a ${missingIn(run)}, ${nothing}`;
  return trials === errors + emptyReplies
    ? `every reply was empty, without a text and without a tool call, ${nothing}`
    : 'the run ended before all cases were answered, and neither --min-pass nor --min-score nor an earlier run measures it';
}

/** Which run a baseline is, and how many cases are compared with others. */
function chosenText({ label, others }: ChosenBaseline, show: (text: string) => string): string {
  const labelled = label === null ? '' : `. It is labelled ${show(label)}`;
  if (others === 0) return labelled;
  return `${labelled}. ${others === 1 ? '1 case is' : `${others} cases are`} compared with ${others === 1 ? 'another run, in which it' : 'other runs, in which they'} last passed or had a verdict`;
}

/** Each named metric, and what it was in the run that this one is compared with; null if there is none. */
function metricsText({ run, change }: Report): string | null {
  const parts = Object.entries(run.metrics).map(([name, { value, passed, graded }]) => {
    const before = change?.metrics[name]?.before ?? null;
    return `${name} ${percentText(value)} (${passed} of ${graded}${before === null ? '' : `, before ${percentText(before)}`})`;
  });
  return parts.length === 0 ? null : `Metrics: ${parts.join(', ')}`;
}

/** Why the bars of a run do not hold; undefined if they do. */
export function whyNotHeld(report: Report) {
  const { outcome, bars } = report;
  if (outcome === 'held') return undefined;
  const short = bars.filter(({ held }) => !held).map((bar) => `${flagOf(bar)}: ${bar.explanation}`);
  return { outcome, why: outcome === 'not_possible' ? whyNot(report) : short.join('. ') };
}

/** As the flag of the command `evaluate`. */
export function flagOf({ bar, required }: Bar): string {
  return `--${bar.replaceAll('_', '-')} ${required}`;
}
