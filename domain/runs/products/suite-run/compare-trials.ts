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

/** Only cases with the same content in both versions are compared. */
export function compareTrials(before: ComparedTrials, after: ComparedTrials): CaseComparison {
  const earlier = new Map(before.identities);
  const same = after.identities.flatMap(([id, hash]) => (earlier.get(id) === hash ? [id] : []));
  const [marksBefore, marksAfter] = [before, after].map(({ marks }) => new Map(Object.entries(marks)));
  const pairs = same.map((id): PairedCase => ({
    id,
    before: passesOf(marksBefore?.get(id) ?? ''),
    after: passesOf(marksAfter?.get(id) ?? ''),
  }));
  return compareRuns(pairs);
}
