/** Replies that a grader must pass and must fail; `graders.test.ts` runs them and sees that no grader is without. */
import type { GraderSpec } from '#domain/eval-suite/graders/registry.ts';

export interface Fixture {
  readonly spec: GraderSpec;
  readonly passing: readonly string[];
  readonly failing: readonly string[];
  /** Fail strictly, pass loosely. */
  readonly loose?: readonly string[];
}
