import type { GraderSpec } from '../../graders/grader.ts';
import type { Random } from '../../random.ts';
import type { ReplyPlan } from './compose-reply.ts';
import type { InstructionGrader } from './graders/instruction-grader.ts';
import type { WritingTask } from './writing-task.ts';

/** One instruction of a case. */
export interface Constraint {
  /** States the instruction in the prompt. */
  readonly sentence: string;
  readonly spec: GraderSpec;
  /** Changes the plan of the expected reply so that it follows this instruction too. */
  readonly shape: (plan: ReplyPlan) => void;
}

export interface ConstraintContext {
  readonly task: WritingTask;
  /** Whether this is the only instruction of the case. */
  readonly alone: boolean;
}

export type MakeConstraint = (random: Random, context: ConstraintContext) => Constraint;

/** A kind of instruction, named after its grader. */
export interface ConstraintKind {
  readonly grader: InstructionGrader;
  readonly make: MakeConstraint;
}
