/** Grades a reply to a practice case. Practice is free, and nothing is stored. */
import { DomainError } from '../errors.ts';
import { categories } from '../eval-suite/index.ts';
import { gradePractice, makePracticeCases, type PracticeCase } from '../eval-suite/practice.ts';
import type { TaskGrade } from '../eval-suite/task.ts';

let cases: readonly PracticeCase[] | null = null;

/** Generated on first use, because few processes need them. */
export function listPracticeCases(): readonly PracticeCase[] {
  cases ??= makePracticeCases(categories);
  return cases;
}

interface PractisedReply {
  readonly grade: TaskGrade;
  readonly expected: string;
}

/**
 * @param input.earlier the replies to the turns before the last one
 * @throws DomainError case_not_found
 */
export function practise(input: {
  readonly caseId: string;
  readonly text: string;
  readonly earlier: readonly string[];
}): PractisedReply {
  const found = listPracticeCases().find(({ caseId }) => caseId === input.caseId);
  if (found === undefined) {
    throw new DomainError('case_not_found', 'No practice case has this id.', {
      hint: 'Use a `case_id` from `practice` in GET /v1/eval-suite.',
    });
  }
  return { grade: gradePractice(found, [...input.earlier, input.text]), expected: found.task.expected };
}
