/**
 * What an instruction kind contributes to a case: the sentence that states it, the grader that checks it, and its
 * mark on the plan of a reply that follows it.
 */
import type { GraderName, GraderSpec } from '../graders/registry.ts';
import type { Random } from '../random.ts';
import type { ReplyPlan } from './compose-reply.ts';
import type { WritingTask } from './draw-task.ts';

/** One instruction of a case. */
export interface Constraint {
  readonly sentence: string;
  readonly spec: GraderSpec;
  /** Changes the plan so that the reply composed from it follows this instruction too. */
  readonly shape: (plan: ReplyPlan) => void;
}

/** What a kind may look at when it draws its parameters. */
export interface ConstraintContext {
  readonly task: WritingTask;
  /** Whether this is the only instruction of the case. */
  readonly alone: boolean;
}

export type DrawConstraint = (random: Random, context: ConstraintContext) => Constraint;

/** A kind of instruction, named after its grader. */
export interface ConstraintKind {
  readonly name: GraderName;
  readonly draw: DrawConstraint;
}
