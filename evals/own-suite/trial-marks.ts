/** What came of the trials of each case, short enough to keep with the result of a run. */
import type { StoredTrial, TrialMarks } from './stored-trial.ts';

const letters = { passed: 'p', failed: 'f', error: 'e', ungraded: 'u' } as const satisfies Record<
  StoredTrial['status'],
  string
>;

export const caseVerdicts = ['failed', 'error', 'flaky', 'ungraded', 'passed'] as const;

/** What came of a case: it is flaky if it passed in some trials only. */
export type CaseVerdict = (typeof caseVerdicts)[number];

/** By the id of the case. */
export function marksOf(trials: readonly StoredTrial[]): ReadonlyMap<string, TrialMarks> {
  const marks = new Map<string, TrialMarks>();
  for (const { case_id: id, status } of trials.toSorted((one, other) => one.trial - other.trial))
    marks.set(id, (marks.get(id) ?? '') + letters[status]);
  return marks;
}

/** Of the trials of one case, in order. */
export function marksOfStatuses(statuses: readonly StoredTrial['status'][]): TrialMarks {
  return statuses.map((status) => letters[status]).join('');
}

/** Of an earlier run; empty if no trial passed or failed: an outage does not show what the agent could do. */
export function shownIn(marks: TrialMarks): boolean[] {
  return marks.includes(letters.passed) || marks.includes(letters.failed)
    ? passesOf(marks.replaceAll(letters.ungraded, ''))
    : [];
}

/** Whether each trial passed. One without a reply or a verdict has not: otherwise its loss would go unnoticed. */
export function passesOf(marks: TrialMarks): boolean[] {
  return marks.split('').map((mark) => mark === letters.passed);
}

export function verdictOf(marks: TrialMarks): CaseVerdict {
  const passes = passesOf(marks);
  if (marks.replaceAll(letters.ungraded, '') === '') return 'ungraded';
  if (passes.every(Boolean)) return 'passed';
  if (passes.includes(true)) return 'flaky';
  return marks.includes(letters.failed) ? 'failed' : 'error';
}

/** The status of each trial. */
export function statusesOf(marks: TrialMarks): StoredTrial['status'][] {
  // The keys of the object are those of its type.
  const statuses = Object.keys(letters) as StoredTrial['status'][];
  return marks.split('').flatMap((mark) => statuses.find((status) => letters[status] === mark) ?? []);
}
