/** What every report says of a run: its cases by verdict, and the trials that got no reply. */
import type { ExportedItem, ExportedRun, ExportedTrial } from '../export/run-export.ts';
import { type CaseVerdict, marksOfStatuses, verdictOf as verdictOfMarks } from '../own-suite/trial-marks.ts';

export interface Summary {
  readonly items: number;
  readonly verdicts: Readonly<Record<CaseVerdict, number>>;
  readonly trials: number;
  /** The trials without a reply, by the reason, the most common one first. */
  readonly errors: number;
  readonly reasons: readonly ErrorReason[];
  /** The trials with an empty reply. Graders of what a reply must not have accept it. */
  readonly emptyReplies: number;
  /** The first tags of the items, in the order of the run. */
  readonly parts: readonly string[];
  /** By the id of the item. */
  readonly titles: ReadonlyMap<string, string>;
}

export interface ErrorReason {
  readonly reason: string;
  readonly trials: number;
  /** The first ones. */
  readonly items: readonly string[];
}

const partsMax = 20;
const reasonsMax = 20;
const itemsNamedMax = 20;

export async function summarize(run: ExportedRun): Promise<Summary> {
  const verdicts = { passed: 0, flaky: 0, failed: 0, error: 0, ungraded: 0 };
  const reasons = new Map<string, { trials: number; items: Set<string> }>();
  const parts = new Set<string>();
  const titles = new Map<string, string>();
  let [items, trials, errors, emptyReplies] = [0, 0, 0, 0];
  for await (const item of run.items()) {
    items += 1;
    verdicts[verdictOf(item)] += 1;
    trials += item.trials.length;
    emptyReplies += item.trials.filter(isEmptyReply).length;
    if (item.title !== undefined) titles.set(item.id, item.title);
    const [part] = item.tags;
    if (part !== undefined && parts.size < partsMax) parts.add(part);
    for (const trial of item.trials.filter(({ status }) => status === 'error')) {
      errors += 1;
      const reason = whyNone(trial);
      const known = reasons.get(reason) ?? { trials: 0, items: new Set() };
      // A program can give a new reason each time.
      if (reasons.size < 100 * reasonsMax || reasons.has(reason)) reasons.set(reason, known);
      known.trials += 1;
      if (known.items.size < itemsNamedMax) known.items.add(item.id);
    }
  }
  const common = [...reasons].toSorted(([, one], [, other]) => other.trials - one.trials);
  return {
    items,
    verdicts,
    trials,
    errors,
    emptyReplies,
    parts: [...parts],
    titles,
    reasons: common
      .slice(0, reasonsMax)
      .map(([reason, known]) => ({ reason, trials: known.trials, items: [...known.items] })),
  };
}

function isEmptyReply({ status, reply, earlier, calls }: ExportedTrial): boolean {
  return status !== 'error' && calls.length === 0 && [reply, ...earlier].every((text) => text?.trim() === '');
}

export function verdictOf({ trials }: Pick<ExportedItem, 'trials'>): CaseVerdict {
  return verdictOfMarks(marksOfStatuses(trials.map(({ status }) => status)));
}

export function titled({ id, title }: { readonly id: string; readonly title?: string | undefined }): string {
  return title === undefined ? id : `${id} (${title})`;
}

/** Of a trial in error: a reply, or the verdict of a judge on it. */
export function whatIsMissing({ reply }: Pick<ExportedTrial, 'reply'>): string {
  return reply === null ? 'no reply' : 'no verdict';
}

/** Of a trial in error. */
export function whyNone({ error, explanation }: ExportedTrial): string {
  return explanation ?? error?.replaceAll('_', ' ') ?? 'unknown error';
}

/** Why a trial did not pass, for people. Hidden texts are null. */
export function reasonOf(trial: ExportedTrial, show: (text: string) => string): string {
  switch (trial.status) {
    case 'passed':
      return '';
    case 'error':
      return `${whatIsMissing(trial)}: ${show(whyNone(trial))}`;
    case 'ungraded':
      return `no verdict: ${show(trial.explanation ?? 'hidden')}`;
    case 'failed': {
      const { expected, found, explanation } = trial;
      if (expected !== null) return `expected ${show(expected)}, found ${show(found ?? '')}`;
      return explanation === null ? 'expected and found are hidden' : show(explanation);
    }
  }
}
