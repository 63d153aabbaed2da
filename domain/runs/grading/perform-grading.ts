/** What the place does with replies: it grades them. */
import { DomainError, type ErrorCode, type ErrorExtras } from '../../errors.ts';
import type { CaseGrade } from '#evals/own-suite/grade-reply.ts';
import { type PractisedReply, practise, type PractiseInput } from './practise.ts';
import { type CheckedGrade, type CheckedReply, gradeChecked } from './grade-checked.ts';
import { gradeOwnReply, type OwnCaseReply } from './graders.ts';

export type GradingTask =
  | { readonly kind: 'case'; readonly asked: CheckedReply }
  | { readonly kind: 'own_case'; readonly asked: OwnCaseReply }
  | { readonly kind: 'practice'; readonly input: PractiseInput };

export type Graded =
  | { readonly kind: 'case'; readonly graded: CheckedGrade }
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
      return { kind: 'case', graded: await gradeChecked(task.asked) };
    case 'own_case':
      return { kind: 'own_case', graded: await gradeOwnReply(task.asked) };
    case 'practice':
      return gradePractice(task.input);
  }
}

async function gradePractice(input: PractiseInput): Promise<Graded> {
  try {
    return { kind: 'practice', practised: await practise(input) };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const { code, message, extras } = error;
    return { kind: 'refused', code, message, extras };
  }
}
