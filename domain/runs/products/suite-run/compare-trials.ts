/** Compares two runs of a suite case by case, of the same or of different versions. */
import { compareRuns, type PairedCase, type RunComparison } from '#evals/own-suite/compare-runs.ts';
import type { CaseIdentity } from '#evals/own-suite/identity.ts';
import type { StoredSuiteResult } from '#evals/own-suite/stored-trial.ts';
import { passesOf } from '#evals/own-suite/trial-marks.ts';

export type CaseComparison = RunComparison;

export interface ComparedTrials {
  /** Of the version of the run. */
  readonly identities: readonly CaseIdentity[];
  readonly marks: StoredSuiteResult['marks'];
}

/** Only cases with the same content in both versions are compared. The others are counted. */
export function compareTrials(before: ComparedTrials, after: ComparedTrials): CaseComparison {
  const [earlier, later] = [new Map(before.identities), new Map(after.identities)];
  const [marksBefore, marksAfter] = [
    new Map(Object.entries(before.marks)),
    new Map(Object.entries(after.marks)),
  ];
  const pairs: PairedCase[] = [];
  let [changed, added] = [0, 0];
  for (const [id, marks] of marksAfter) {
    const asked = marksBefore.get(id);
    if (asked === undefined) added += 1;
    else if (earlier.get(id) === undefined || earlier.get(id) !== later.get(id)) changed += 1;
    else pairs.push({ id, before: passesOf(asked), after: passesOf(marks) });
  }
  const gone = [...marksBefore.keys()].filter((id) => !marksAfter.has(id)).length;
  return compareRuns(pairs, { changed, added, gone });
}
