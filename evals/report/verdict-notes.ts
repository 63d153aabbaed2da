/** What must be said of a result whose verdicts are not all of the hub's rules, in sentences. */
import type { StoredSuiteResult } from '../own-suite/stored-trial.ts';
import { percentText } from '../rates.ts';
import { someOf } from '../safe-text.ts';

const namedMax = 10;

export function verdictNotes({
  judged,
  partial = [],
  left_out: leftOut = 0,
  reviewed,
  pass_rate: rate,
}: StoredSuiteResult): readonly string[] {
  const notes: string[] = [];
  if (leftOut > 0)
    notes.push(
      `When the suite was imported, ${leftOut} ${leftOut === 1 ? 'case' : 'cases'} of the source had no counterpart and ${leftOut === 1 ? 'was' : 'were'} left out.`,
    );
  if (partial.length > 0)
    notes.push(
      `${partial.length} ${partial.length === 1 ? 'case' : 'cases'} lost assertions when the suite was imported, and ${partial.length === 1 ? 'passes' : 'pass'} without them: ${someOf(partial, namedMax)}.`,
    );
  if (judged !== undefined) {
    const { cases, open, judges } = judged;
    const models = [...new Set(judges.flatMap((one) => one.models))];
    const by = models.length === 0 ? '' : `, with ${models.map((model) => JSON.stringify(model)).join(', ')}`;
    notes.push(
      `${counted(cases.length, 'case')} judged by the runner${by}: the hub does not vouch for these verdicts.`,
    );
    const disagreed = judges.filter(({ splits }) => splits > 0).toSorted((a, b) => b.splits - a.splits);
    for (const { judge, replies, splits, split } of disagreed.slice(0, namedMax)) {
      notes.push(
        `The votes of the judge ${judge} are split on ${splits} of ${replies} replies: ${someOf(split, namedMax)}.`,
      );
    }
    if (open > 0) {
      notes.push(
        `${open} ${open === 1 ? 'reply waits' : 'replies wait'} for judges and ${open === 1 ? 'counts' : 'count'} as failed so far. GET /v1/runs/{id}/judgements returns what to ask them, and POST to it takes their verdicts.`,
      );
    }
  }
  if (reviewed !== undefined) {
    const { confirmed, overruled, as_graded: before } = reviewed;
    const other =
      before === null || overruled.length === 0 || before.value === rate.value
        ? ''
        : ` Without that, the pass rate is ${percentText(before.value)}.`;
    const cases = overruled.length === 0 ? '' : ` (${someOf(overruled, namedMax)})`;
    const confirmations =
      confirmed === 0 ? '' : `; ${confirmed} ${confirmed === 1 ? 'verdict is' : 'verdicts are'} confirmed`;
    notes.push(
      `The owner of the run overruled verdicts of ${overruled.length} ${overruled.length === 1 ? 'case' : 'cases'}${cases}${confirmations}.${other}`,
    );
  }
  return notes;
}

/** How many cases have verdicts that are not of the hub's rules. */
export interface VerdictSources {
  readonly judged: number;
  readonly overruled: number;
}

export function sourcesOf({ judged, reviewed }: StoredSuiteResult): VerdictSources {
  return { judged: judged?.cases.length ?? 0, overruled: reviewed?.overruled.length ?? 0 };
}

/** The end of a sentence about a run; null if all its verdicts are of the hub's rules. */
export function sourcesText({ judged, overruled }: VerdictSources): string | null {
  const parts = [
    ...(judged === 0 ? [] : [`${judged} judged by the runner`]),
    ...(overruled === 0 ? [] : [`${overruled} overruled`]),
  ];
  return parts.length === 0 ? null : parts.join(', ');
}

function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun} is` : `${count} ${noun}s are`;
}
