/** What the place does with replies: it grades them. It regenerates each task, because tasks are never stored. */
import { DomainError, type ErrorCode, type ErrorExtras } from '../../errors.ts';
import type { CaseGrade } from '#evals/own-suite/grade-reply.ts';
import type { TaskGrade } from '#evals/suite/task.ts';
import { type PractisedReply, practise, type PractiseInput } from './practise.ts';
import { planCases } from '../products/eval-run/plan-cases.ts';
import { type AskedCase, gradeOwnReply, gradeTurns, type OwnCaseReply } from './graders.ts';

export type GradingTask =
  | ({ readonly kind: 'case' } & AskedCase)
  | { readonly kind: 'own_case'; readonly asked: OwnCaseReply }
  | { readonly kind: 'practice'; readonly input: PractiseInput };

export type Graded =
  /** Null while the case has further turns. */
  | { readonly kind: 'case'; readonly grade: TaskGrade | null }
  | { readonly kind: 'own_case'; readonly graded: CaseGrade }
  | { readonly kind: 'practice'; readonly practised: PractisedReply }
  | {
      readonly kind: 'refused';
      readonly code: ErrorCode;
      readonly message: string;
      readonly extras: ErrorExtras;
    };

export async function performGrading(task: GradingTask): Promise<Graded> {
  switch (task.kind) {
    case 'case':
      return gradeCase(task);
    case 'own_case':
      return { kind: 'own_case', graded: await gradeOwnReply(task.asked) };
    case 'practice':
      return gradePractice(task.input);
  }
}

function gradeCase({ key, planned, replies }: AskedCase): Graded {
  const plan = planCases({ ...key, id: key.runId, mode: 'pull', levels: null });
  return { kind: 'case', grade: gradeTurns(plan.taskOf(planned), replies) };
}

function gradePractice(input: PractiseInput): Graded {
  try {
    return { kind: 'practice', practised: practise(input) };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const { code, message, extras } = error;
    return { kind: 'refused', code, message, extras };
  }
}
