/** How replies are graded: in a separate thread, or inline where no other request waits. */
import type { RunRow } from '#db/schema/run-tables.ts';
import type { PlannedCase } from '#evals/suite/plan-run.ts';
import type { Task, TaskGrade } from '#evals/suite/task.ts';
import { type PractisedReply, practise, type PractiseInput } from '../../eval-jobs/practise.ts';

/** From this and the suite, a case of a run can be made anywhere. */
export interface CaseKey extends Pick<RunRow, 'suiteSeed' | 'runSize' | 'maxPromptTokens' | 'repeat'> {
  readonly runId: string;
  /** The run's private pack. */
  readonly packHash: string | null;
}

export interface AskedCase {
  readonly key: CaseKey;
  readonly planned: PlannedCase;
  /** To the turns so far. */
  readonly replies: readonly string[];
}

export interface Graders {
  /**
   * @returns null while the case has further turns
   * @throws DomainError grading_busy
   */
  gradeCase(agentId: string, asked: AskedCase & { readonly task: () => Task }): Promise<TaskGrade | null>;
  /** @throws DomainError grading_busy, and those of `practise` */
  practise(agentId: string, input: PractiseInput): Promise<PractisedReply>;
}

export function gradeTurns(task: Task, replies: readonly string[]): TaskGrade | null {
  return replies.length < task.turns.length ? null : task.grade(replies);
}

/** For programs that serve no other requests. */
export const gradersInPlace: Graders = {
  gradeCase: (_agentId, { task, replies }) => Promise.resolve(gradeTurns(task(), replies)),
  practise: (_agentId, input) => Promise.try(practise, input),
};
