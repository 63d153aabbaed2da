/** Compares two runs of a suite case by case, of the same or of different versions. */
import { compareRuns, type PairedCase, type RunComparison } from '#evals/own-suite/compare-runs.ts';
import type { CaseIdentity } from '#evals/own-suite/identity.ts';
import type { StoredTrial } from '#evals/own-suite/stored-trial.ts';
import type { StoredItem } from '#evals/stored-item.ts';

export type CaseComparison = RunComparison;

export interface ComparedTrials {
  /** Of the version of the run. */
  readonly identities: readonly CaseIdentity[];
  readonly items: readonly StoredItem[];
}

/** Only cases with the same content in both versions are compared. */
export function compareTrials(before: ComparedTrials, after: ComparedTrials): CaseComparison {
  const earlier = new Map(before.identities);
  const same = after.identities.flatMap(([id, hash]) => (earlier.get(id) === hash ? [id] : []));
  const [passesBefore, passesAfter] = [passesOf(before.items), passesOf(after.items)];
  const pairs = same.map((id): PairedCase => ({
    id,
    before: passesBefore.get(id) ?? [],
    after: passesAfter.get(id) ?? [],
  }));
  return compareRuns(pairs);
}

/** By case. Ungraded trials are left out. */
function passesOf(items: readonly StoredItem[]): ReadonlyMap<string, boolean[]> {
  const passes = new Map<string, boolean[]>();
  // The plan of a suite run stores these.
  for (const { case_id: id, status } of items as readonly StoredTrial[]) {
    if (status === 'ungraded') continue;
    const own = passes.get(id);
    if (own === undefined) passes.set(id, [status === 'passed']);
    else own.push(status === 'passed');
  }
  return passes;
}
