/** Grades a reply to a practice case. Practice is free, and nothing is stored. */
import { DomainError } from '../../errors.ts';
import { categories } from '#evals/suite/index.ts';
import {
  gradePractice,
  makePracticeCase,
  makePracticeCases,
  type PracticeCase,
} from '#evals/suite/practice.ts';
import type { TaskGrade } from '#evals/suite/task.ts';
import { operation } from '../../operation.ts';

let cases: readonly PracticeCase[] | null = null;

/** Generated on first use, because few processes need them. */
export function listPracticeCases(): readonly PracticeCase[] {
  cases ??= makePracticeCases(categories);
  return cases;
}

export interface PractiseInput {
  readonly caseId: string;
  readonly text: string;
  /** The replies to the turns before the last one. */
  readonly earlier: readonly string[];
}

export interface PractisedReply {
  readonly grade: TaskGrade;
  readonly expected: string;
}

/** @throws DomainError case_not_found */
export function practiceCaseOf(caseId: string): PracticeCase {
  const found = cases?.find((one) => one.caseId === caseId) ?? makePracticeCase(categories, caseId);
  if (found !== null) return found;
  throw new DomainError('case_not_found', 'No practice case has this id.', {
    hint: `Use a \`case_id\` from \`practice\` in ${operation('getEvalSuite')}.`,
  });
}

/**
 * Takes time that depends on the text: the API calls it in the place for such work.
 *
 * @throws DomainError case_not_found, invalid_body if a reply to a turn is missing
 */
export function practise({ caseId, text, earlier }: PractiseInput): PractisedReply {
  const found = practiceCaseOf(caseId);
  requireWhole(found.task.turns.length, earlier.length + 1);
  return { grade: gradePractice(found, [...earlier, text]), expected: found.task.expected };
}

/** Graded without the earlier replies, a last reply would count as the first one. */
function requireWhole(turns: number, replies: number): void {
  if (replies === turns) return;
  throw new DomainError(
    'invalid_body',
    turns === 1
      ? 'The case has one turn, so `messages` must hold no reply of yours.'
      : `The case has ${turns} turns: \`messages\` must hold your replies to the first ${turns - 1}, and \`text\` the last; it holds ${replies - 1}.`,
    {
      hint: 'Send your reply to each turn but the last in `messages`, as `{role: "assistant", content}`. Turns of the user may stand between them.',
    },
  );
}
