/** Combines the checks of a task into its grade. */
import type { Check } from '../eval-case.ts';
import type { TaskGrade } from '../task.ts';

const maxFoundCharacters = 200;
const maxMessageCharacters = 400;

type Finding = Pick<TaskGrade, 'found' | 'formKept' | 'rightValueWrongWrapping'>;

/** The full score or none: every check must pass. */
export function gradeAll(checks: readonly Check[], finding: Finding): TaskGrade {
  return gradeWith(Number(checks.every((check) => check.passed)), checks, finding);
}

/** @param score 0 to 1; a task passes only with 1 */
export function gradeWith(score: number, checks: readonly Check[], finding: Finding): TaskGrade {
  return {
    ...finding,
    score,
    passed: score === 1,
    found: finding.found === null ? null : cut(finding.found, maxFoundCharacters),
    checks: checks.map((check) => ({ ...check, message: cut(check.message, maxMessageCharacters) })),
  };
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;
}
