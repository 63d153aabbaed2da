/** How replies are graded: in a separate thread, or inline where no other request waits. */
import type { Task, TaskGrade } from '#evals/suite/task.ts';
import type { CaseReplies, CaseSource } from '../case-source.ts';
import { type PractisedReply, practise, type PractiseInput } from '../practise.ts';

export interface CaseGrade {
  readonly turns: number;
  /** Null while the case has further turns. */
  readonly grade: TaskGrade | null;
}

export interface Graders {
  /** @throws DomainError grading_busy */
  gradeCase(agentId: string, source: CaseSource, replies: CaseReplies): Promise<CaseGrade>;
  /** @throws DomainError grading_busy, and those of `practise` */
  practise(agentId: string, input: PractiseInput): Promise<PractisedReply>;
}

export function gradeReplies(task: Task, replies: readonly string[]): CaseGrade {
  const turns = task.turns.length;
  return { turns, grade: replies.length < turns ? null : task.grade(replies) };
}

/** For programs that serve no other requests. */
export const gradersInPlace: Graders = {
  gradeCase: (_agentId, source, { planned, replies }) =>
    Promise.resolve(gradeReplies(source.taskOf(planned), replies)),
  practise: (_agentId, input) => Promise.try(practise, input),
};
