import { applyGrader as applyGraderOf } from '#domain/eval-suite/grade-reply.ts';
import type { GraderSpec, Verdict } from '#domain/eval-suite/graders/grader.ts';
import { graders } from '#domain/eval-suite/index.ts';

/** Replies that a grader must pass and must fail. `graders.test.ts` checks that every grader has some. */
export interface Fixture {
  readonly spec: GraderSpec;
  readonly passing: readonly string[];
  readonly failing: readonly string[];
  /** Fail strictly, pass loosely. */
  readonly loose?: readonly string[];
}

export function applyGrader(spec: GraderSpec, reply: string): Verdict {
  return applyGraderOf(graders, spec, reply);
}
